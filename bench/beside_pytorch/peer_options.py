"""Options of a peer, and the threads they ask for: PyTorch must not be imported before they are read."""

import argparse
import os
import sys


def make_parser(description, evaluation, batch_size):
    """`evaluation` is what the peer measures besides training."""
    parser = argparse.ArgumentParser(description=description.split("\n\n")[0])
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--measure", choices=["train", evaluation], help="print one line of JSON")
    what.add_argument("--epochs", type=int, help="train for so many epochs and print how it goes")
    parser.add_argument("--threads", default="default", help="a number, or 'default': whatever PyTorch takes")
    parser.add_argument("--seconds", type=float, default=5.0, help="how long to measure training")
    parser.add_argument(
        "--batch-size", type=int, default=batch_size, help=f"of evaluation ({batch_size}: the fastest here)"
    )
    parser.add_argument("--seed", type=int, default=641)
    return parser


def parse(parser):
    arguments = parser.parse_args()
    threads = arguments.threads
    if threads != "default":
        if not (threads.isdigit() and int(threads) > 0):
            parser.error(f"--threads: '{threads}' is neither a number above 0 nor 'default'")
        # OpenBLAS reads its own variable as it is loaded, and torch.set_num_threads does not reach it.
        os.environ["OMP_NUM_THREADS"] = os.environ["OPENBLAS_NUM_THREADS"] = threads
    try:
        import torch  # noqa: F401
    except ImportError as error:
        advice = "in Debian: apt install python3-torch, and use /usr/bin/python3"
        sys.exit(f"{parser.prog}: PyTorch is missing ({error}); {advice}")
    return arguments
