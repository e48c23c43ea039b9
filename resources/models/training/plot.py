"""Draw the loss curve: `plot.py --csv mini_loss.csv --out loss.svg`."""

import argparse
import csv
import pathlib

import matplotlib

matplotlib.use("Agg")
import matplotlib.pyplot as plt  # noqa: E402  (the backend must be chosen first)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--csv", type=pathlib.Path, required=True)
    parser.add_argument("--out", type=pathlib.Path, required=True)
    args = parser.parse_args()
    rows = list(csv.DictReader(args.csv.open()))
    tokens, loss = [int(r["tokens"]) / 1e6 for r in rows], [float(r["loss"]) for r in rows]
    plt.rcParams["svg.hashsalt"] = "quire"
    figure, axes = plt.subplots(figsize=(6, 3))
    axes.plot(tokens, loss, color="#3b6ea5", linewidth=1.2)
    axes.set(xlabel="tokens trained (millions)", ylabel="loss", yscale="log")
    axes.grid(alpha=0.3, which="both")
    figure.tight_layout()
    figure.savefig(args.out, metadata={"Date": None})


if __name__ == "__main__":
    main()
