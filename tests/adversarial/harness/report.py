"""The table that a person reads at the end of a run."""

FAMILY_TITLES = {
    "C": "C  state and replay on the device",
    "D": "D  timing",
    "E": "E  numerical false passes",
    "U": "U  unsound problems",
    "mutants": "mutants of the examples",
    "honest": "honest kernels",
}


def short(text, width=150):
    line = " ".join(str(text).split())
    return line if len(line) <= width else line[: width - 3] + "..."


def count(results, word):
    return sum(result.word == word for _, result in results)


def print_rows(results, word, known):
    for case, result in results:
        if result.word == word:
            note = f" [known: {known.reason(case.name)}]" if known.lists(case.name) else ""
            print(f"    {word:<9}{case.name:<34} {result.verdict}: {short(result.message)}{note}")


def print_attacks(family, results, known):
    print(f"\n{FAMILY_TITLES[family]}: {len(results)} attacks, {count(results, 'killed')} killed, "
          f"{count(results, 'neutral')} neutral, {count(results, 'survived')} survived")
    for word in ("neutral", "survived", "broken"):
        print_rows(results, word, known)


def print_honest(results, known):
    twins = sum(case.name.endswith("/twin") for case, _ in results)
    kinds = {case.tries for case, _ in results if not case.name.endswith("/twin")}
    print(f"\n{FAMILY_TITLES['honest']}: {len(results) - twins} kernels of {len(kinds)} kinds and {twins} twins, "
          f"{count(results, 'passed')} passed, {count(results, 'refused')} refused")
    for word in ("refused", "broken"):
        print_rows(results, word, known)


def rate(part, whole):
    return f"{part} of {whole} ({100 * part / max(1, whole):.1f} %)"


def print_report(results, known):
    """@param results  (case, its outcome) in the order of the cases."""
    attacks = [row for row in results if not row[0].honest]
    honest = [row for row in results if row[0].honest]
    for family in FAMILY_TITLES:
        rows = [row for row in attacks if row[0].family == family]
        if rows:
            print_attacks(family, rows, known)
    if honest:
        print_honest(honest, known)
    print(f"\nattacks that survived: {rate(count(attacks, 'survived'), len(attacks))}; "
          f"honest kernels refused: {rate(count(honest, 'refused'), len(honest))}")


def as_json(results):
    return [{"name": case.name, "family": case.family, "honest": case.honest, "outcome": result.word,
             "verdict": result.verdict,
             "seconds": round(result.seconds, 2), "message": result.message} for case, result in results]
