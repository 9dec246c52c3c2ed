"""known.json: attacks that survive today and honest kernels that are refused, by reason."""

import json


class Known:
    """The list may only shrink: an entry that a run no longer finds is an error."""

    def __init__(self, path):
        self.groups = {name: group for group in json.loads(path.read_text()) for name in group["cases"]}

    def lists(self, name):
        return name in self.groups

    def reason(self, name):
        return self.groups[name]["reason"]

    def unknown(self, names):
        """Entries that name no case."""
        return sorted(set(self.groups) - set(names))

    def outlived(self, results):
        """Listed cases of this run that did well, unless they are said to do so sometimes."""
        return [case.name for case, result in results
                if self.lists(case.name) and result.word in ("killed", "neutral", "passed")
                and not self.groups[case.name].get("sometimes")]
