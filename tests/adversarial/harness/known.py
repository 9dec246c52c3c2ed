"""known.json: attacks that survive today and honest kernels that are refused, each with its reason."""

import json


class Known:
    """The list may only shrink: an entry that a run no longer finds is an error."""

    def __init__(self, path):
        self.entries = json.loads(path.read_text()) if path.exists() else {}

    def lists(self, name):
        return name in self.entries

    def reason(self, name):
        return self.entries[name]["reason"]

    def unknown(self, names):
        """Entries that name no case."""
        return sorted(set(self.entries) - set(names))

    def outlived(self, results):
        """Listed cases of this run that did well, unless they are said to do so sometimes."""
        return [case.name for case, result in results
                if case.name in self.entries and result.word not in ("survived", "refused")
                and not self.entries[case.name].get("sometimes")]
