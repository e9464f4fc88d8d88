share = read("share.csv")
fill = {"matters": "#0072B2", "does not matter": "white", "undecided": "#E69F00", "none": "0.8"}
factors = levels(share, "factor")[::-1]
figure, parts = grid(levels(share, "panel", "size"), height=0.8 + 0.18 * len(factors), shared=True)
for axis, (panel, size) in parts:
    for row in select(share, panel=panel, size=size):
        y = factors.index((row["factor"],))
        axis.barh(y, 100 * row["share"], color=fill[row["influence"]], edgecolor="black",
                  linewidth=0.5)
        axis.text(100 * row["share"], y, f" {100 * row['share']:.2g} %", va="center", fontsize=6)
    axis.set_yticks(range(len(factors)), [factor for (factor,) in factors])
    axis.margins(x=0.25)
figure.supxlabel("share of the variance of log times, %")
legend(figure, [plt.Rectangle((0, 0), 1, 1, facecolor=colour, edgecolor="black")
                for colour in fill.values()], list(fill))
save(figure, "factors")
