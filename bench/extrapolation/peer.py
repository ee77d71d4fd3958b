"""The classifier of sequences in plain eager PyTorch: what Headway's training and evaluation are compared with.

Written as a good user of PyTorch would, with nothing left slow on purpose: the tensors are made once, batches hold
sequences of about the same length and are masked only where lengths differ, gradients are set to None, evaluation runs
in inference mode with the batch size that is fastest here. It knows nothing of Headway; bench/extrapolation/run starts
it.

  peer.py --measure train --threads N --seconds S   {"samples_per_second": ...}
  peer.py --measure evaluate --threads N            {"seconds": ...}
  peer.py --epochs N                                trains, and prints loss and accuracy
"""

import json
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

from beside_pytorch import peer_options

VOCABULARY, CLASSES = 100, 2
SHORTEST, LONGEST = 8, 16  # of the sequences it is trained on

D_MODEL, D_FF, HEADS, LAYERS, DROPOUT = 128, 512, 4, 4, 0.1


def parse_arguments():
    parser = peer_options.make_parser(__doc__, "evaluate", batch_size=16)
    parser.add_argument("--sequences", type=int, default=256, help="how many to evaluate (256)")
    parser.add_argument("--length", type=int, default=256, help="of those (256)")
    return peer_options.parse(parser)


arguments = parse_arguments()

import torch
from torch import nn
from torch.nn import functional as F

from beside_pytorch.peer_training import (
    BATCH,
    Trainer,
    facts,
    measure_seconds,
    measure_train,
    sinusoidal_positions,
    xavier,
)

# ------------------------------------------------------------------------------------------------------- model ---


def encoder_layer():
    # PyTorch's own. Written by hand (one Linear for queries, keys and values, matmul, softmax) it trains as fast and
    # evaluates sequences of 256 about a tenth slower, since PyTorch's has a fused path without gradients.
    layer = nn.TransformerEncoderLayer(D_MODEL, HEADS, D_FF, DROPOUT, norm_first=False, batch_first=True)
    layer.self_attn.dropout = 0.0  # no attention weights are dropped
    return layer


class Classifier(nn.Module):
    def __init__(self, longest):
        super().__init__()
        self.embedding = nn.Embedding(VOCABULARY, D_MODEL)
        self.layers = nn.ModuleList(encoder_layer() for _ in range(LAYERS))
        self.classify = nn.Sequential(
            nn.Linear(D_MODEL, D_MODEL), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(D_MODEL, CLASSES)
        )
        self.register_buffer("positions", sinusoidal_positions(longest, D_MODEL))
        xavier(self)
        nn.init.normal_(self.embedding.weight, std=D_MODEL**-0.5)

    def forward(self, tokens, lengths=None):
        """Logits [B, 2] of tokens [B, T]; lengths [B], or None where all are T long."""
        x = self.embedding(tokens) * math.sqrt(D_MODEL) + self.positions[: tokens.size(1)]
        padding = None
        if lengths is not None:
            padding = torch.arange(tokens.size(1)) >= lengths.unsqueeze(1)  # [B, T]
        for layer in self.layers:
            x = layer(x, src_key_padding_mask=padding)
        if padding is None:
            pooled = x.mean(dim=1)
        else:
            pooled = x.masked_fill(padding.unsqueeze(2), 0.0).sum(dim=1) / lengths.unsqueeze(1)
        return self.classify(pooled)


# -------------------------------------------------------------------------------------------------------- data ---


def make_sequence(draw, length, is_sorted):
    sequence = sorted(draw.choices(range(VOCABULARY), k=length))
    swaps = 0 if is_sorted else max(2, length // 3)
    while swaps > 0 or (not is_sorted and sequence == sorted(sequence)):
        i, j = draw.sample(range(length), 2)
        sequence[i], sequence[j] = sequence[j], sequence[i]
        swaps -= 1
    return sequence


def make_split(seed, size, shortest, longest):
    """Sequences, half of them sorted: tokens [N, longest] with padding behind the end, lengths [N], labels [N]."""
    draw = random.Random(seed)
    lengths = [draw.randint(shortest, longest) for _ in range(size)]
    labels = [number % 2 for number in range(size)]
    rows = [make_sequence(draw, length, label == 1) for length, label in zip(lengths, labels)]
    tokens = torch.tensor([row + [0] * (longest - len(row)) for row in rows])
    return tokens, torch.tensor(lengths), torch.tensor(labels)


def make_batch(tokens, lengths):
    """Cut to the longest of them: what the model is given."""
    shortest, longest = lengths.min().item(), lengths.max().item()
    return tokens[:, :longest], None if shortest == longest else lengths


# ---------------------------------------------------------------------------------------------------- training ---


class ClassifierTrainer(Trainer):
    def __init__(self, model, tokens, lengths, labels, epochs):
        super().__init__(model, len(tokens), epochs)
        self.tokens, self.lengths, self.labels = tokens, lengths, labels

    def loss(self, batch):
        logits = self.model(*make_batch(self.tokens[batch], self.lengths[batch]))
        return F.cross_entropy(logits, self.labels[batch])

    def epoch(self):
        """The batches of one epoch, each of sequences of about the same length, in random order: indices [B]."""
        shuffled = torch.randperm(len(self.tokens))
        by_length = shuffled[self.lengths[shuffled].argsort(stable=True)]
        batches = list(by_length.split(BATCH))
        random.shuffle(batches)
        return batches


# -------------------------------------------------------------------------------------------------- evaluation ---


@torch.inference_mode()
def evaluate(model, tokens, lengths, labels, batch_size):
    """The share of labels that are right."""
    model.eval()
    right = 0
    parts = zip(tokens.split(batch_size), lengths.split(batch_size), labels.split(batch_size))
    for tokens_part, lengths_part, labels_part in parts:
        logits = model(*make_batch(tokens_part, lengths_part))
        right += (logits.argmax(dim=1) == labels_part).sum().item()
    return right / len(labels)


# ------------------------------------------------------------------------------------------------------- modes ---


def measure_evaluate(model, split, batch_size):
    evaluate(model, *(tensor[:batch_size] for tensor in split), batch_size)  # allocator and caches
    _, times = measure_seconds(lambda: evaluate(model, *split, batch_size))
    return {
        **times,
        "sequences": len(split[0]),
        "length": split[0].size(1),
        "batch_size": batch_size,
        **facts(model),
    }


def main():
    torch.manual_seed(arguments.seed)
    random.seed(arguments.seed)
    if arguments.measure == "evaluate":
        split = make_split(arguments.seed, arguments.sequences, arguments.length, arguments.length)
        print(json.dumps(measure_evaluate(Classifier(arguments.length), split, arguments.batch_size)))
        return
    model = Classifier(LONGEST)
    split = make_split(arguments.seed, 10000, SHORTEST, LONGEST)
    if arguments.measure == "train":
        print(json.dumps(measure_train(ClassifierTrainer(model, *split, epochs=30), arguments.seconds)))
    else:
        validation = make_split(arguments.seed + 1, 2000, SHORTEST, LONGEST)
        trainer = ClassifierTrainer(model, *split, arguments.epochs)
        trainer.train(lambda: f"accuracy {evaluate(model, *validation, 500):.2%}", arguments.epochs)


main()
