"""Judges against people: sections 3, 4 and 5."""

# ---- 5 confusion ----------------------------------------------------------------------------------------------------


def confusion(study: Study) -> Section:
    blocks: list[Block] = []
    rows: list[tuple[Cell, ...]] = []
    bars: list[Bars] = []
    for part in study.slices:
        if part.dimension is not None or not 1 < len(part.categories) <= MOST_VALUES:
            continue
        for judge in part.judges:
            given = part.column(judge)
            both = (given != MISSING) & (part.majority != MISSING)
            q = len(part.categories)
            counts = np.bincount(part.majority[both] * q + given[both], minlength=q * q).reshape(q, q)
            table = tuple(tuple(int(each) for each in row) for row in counts)
            key = f"confusion_{len(blocks) + 1}"
            blocks.append(
                Heat(
                    key,
                    f"{judge}, {part.criterion}: where it lands when most people say …",
                    "most people",
                    judge,
                    part.categories,
                    part.categories,
                    table,
                )
            )
            for at, row in enumerate(table):
                for to, count in enumerate(row):
                    rows.append((*part.where, judge, part.categories[at], part.categories[to], count))
        shares = []
        for name in (*part.humans, *part.judges):
            codes = part.column(name)
            codes = codes[codes != MISSING]
            counted = np.bincount(codes, minlength=len(part.categories)) / max(len(codes), 1)
            shares.append((name, tuple(float(each) for each in counted)))
        bars.append(
            Bars(
                f"shares_{len(bars) + 1}",
                f"{part.criterion}: how often each value is given",
                "share of the rater's ratings",
                part.categories,
                tuple(shares),
            )
        )
    if not blocks:
        reason = "There are too many different values for a table; bin them, or declare a scale with few values."
        return Section(5, "confusion", "Where they differ", reason, (Text(reason, "missing"),))
    blocks += bars
    columns = ("criterion", "dimension", "judge", "most people", "judge says", "units")
    blocks.append(Table("confusion", "The same as numbers", columns, tuple(rows), unit="counts of units"))
    lead = "Each row holds the units of which most people said the same; the diagonal is where the judge says it, too."
    return Section(5, "confusion", "Where they differ", lead, tuple(blocks))


