"""The addition model in plain eager PyTorch: what Headway's training and head ablation are compared with.

Written as a good user of PyTorch would, with nothing left slow on purpose: the tensors are made once, gradients
are set to None, evaluation runs in inference mode, encodes once per batch and takes the batch size that is fastest
here. It knows nothing of Headway; bench/addition/run starts it.

  peer.py --measure train --threads N --seconds S   {"samples_per_second": ...}
  peer.py --measure ablation --threads N            {"seconds": ...}
  peer.py --epochs N                                trains, and prints loss and scores
"""

import json
import math
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))
sys.dont_write_bytecode = True

from beside_pytorch import peer_options

PLUS, PAD, BOS, END = 10, 11, 12, 13  # 0..9 are the digits
VOCABULARY = 14
SOURCE_LENGTH = 7  # 3 7 4 + 8 1 4
TARGET_LENGTH = 4  # 1 1 8 8, zero-padded

D_MODEL, D_FF, HEADS, LAYERS, DROPOUT = 128, 512, 4, 2, 0.1


def parse_arguments():
    parser = peer_options.make_parser(__doc__, "ablation", batch_size=1000)
    parser.add_argument("--problems", type=int, default=2000, help="test problems of an ablation")
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


class MultiHeadAttention(nn.Module):
    def __init__(self):
        super().__init__()
        self.query = nn.Linear(D_MODEL, D_MODEL)
        self.key = nn.Linear(D_MODEL, D_MODEL)
        self.value = nn.Linear(D_MODEL, D_MODEL)
        self.output = nn.Linear(D_MODEL, D_MODEL)
        self.dropout = nn.Dropout(DROPOUT)
        self.head_mask = None  # [H]: 0 switches a head off

    def split_heads(self, x):
        return x.view(x.size(0), x.size(1), HEADS, D_MODEL // HEADS).transpose(1, 2)  # [B, H, T, D/H]

    def forward(self, x, memory, mask=None):
        q = self.split_heads(self.query(x))
        k = self.split_heads(self.key(memory))
        v = self.split_heads(self.value(memory))
        scores = q @ k.transpose(-2, -1) / math.sqrt(D_MODEL // HEADS)  # [B, H, T, S]
        if mask is not None:
            scores = scores.masked_fill(mask, float("-inf"))
        z = self.dropout(torch.softmax(scores, dim=-1)) @ v  # [B, H, T, D/H]
        if self.head_mask is not None:
            z = z * self.head_mask.view(1, HEADS, 1, 1)
        return self.output(z.transpose(1, 2).reshape(x.size(0), x.size(1), D_MODEL))


def feed_forward():
    return nn.Sequential(nn.Linear(D_MODEL, D_FF), nn.ReLU(), nn.Dropout(DROPOUT), nn.Linear(D_FF, D_MODEL))


class EncoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attention = MultiHeadAttention()
        self.feed_forward = feed_forward()
        self.norm1, self.norm2 = nn.LayerNorm(D_MODEL), nn.LayerNorm(D_MODEL)
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x):
        x = self.norm1(x + self.dropout(self.self_attention(x, x)))
        return self.norm2(x + self.dropout(self.feed_forward(x)))


class DecoderLayer(nn.Module):
    def __init__(self):
        super().__init__()
        self.self_attention = MultiHeadAttention()
        self.cross_attention = MultiHeadAttention()
        self.feed_forward = feed_forward()
        self.norm1, self.norm2, self.norm3 = (nn.LayerNorm(D_MODEL) for _ in range(3))
        self.dropout = nn.Dropout(DROPOUT)

    def forward(self, x, memory, causal):
        x = self.norm1(x + self.dropout(self.self_attention(x, x, causal)))
        x = self.norm2(x + self.dropout(self.cross_attention(x, memory)))
        return self.norm3(x + self.dropout(self.feed_forward(x)))


class Seq2SeqTransformer(nn.Module):
    def __init__(self):
        super().__init__()
        self.source_embedding = nn.Embedding(VOCABULARY, D_MODEL)
        self.target_embedding = nn.Embedding(VOCABULARY, D_MODEL)
        self.encoder = nn.ModuleList(EncoderLayer() for _ in range(LAYERS))
        self.decoder = nn.ModuleList(DecoderLayer() for _ in range(LAYERS))
        self.head = nn.Linear(D_MODEL, VOCABULARY)
        longest = max(SOURCE_LENGTH, TARGET_LENGTH)
        self.register_buffer("positions", sinusoidal_positions(longest, D_MODEL))
        self.register_buffer("causal", torch.ones(longest, longest, dtype=torch.bool).triu(1))
        xavier(self)

    def embed(self, embedding, tokens):
        return embedding(tokens) * math.sqrt(D_MODEL) + self.positions[: tokens.size(1)]

    def encode(self, source):
        x = self.embed(self.source_embedding, source)
        for layer in self.encoder:
            x = layer(x)
        return x

    def decode(self, target, memory):
        x = self.embed(self.target_embedding, target)
        causal = self.causal[: target.size(1), : target.size(1)]
        for layer in self.decoder:
            x = layer(x, memory, causal)
        return self.head(x)  # [B, T, V]

    def forward(self, source, target):
        return self.decode(target, self.encode(source))

    def attentions(self):
        """Every attention module with the name of its heads, in the order people list them: 6 modules of 4 heads."""
        for i, layer in enumerate(self.encoder):
            yield f"Encoder L{i}", layer.self_attention
        for i, layer in enumerate(self.decoder):
            yield f"Decoder Self L{i}", layer.self_attention
        for i, layer in enumerate(self.decoder):
            yield f"Decoder Cross L{i}", layer.cross_attention


# -------------------------------------------------------------------------------------------------------- data ---


def make_splits(seed, sizes=(10000, 2000, 2000)):
    """Train, validation and test, which share no problem: (source [N, 7], target [N, 4]) each."""
    chosen = random.Random(seed).sample(range(900 * 900), sum(sizes))
    problems = [(100 + index // 900, 100 + index % 900) for index in chosen]
    source = torch.tensor([[PLUS if c == "+" else int(c) for c in f"{a}+{b}"] for a, b in problems])
    target = torch.tensor([[int(c) for c in f"{a + b:04}"] for a, b in problems])
    return list(zip(source.split(sizes), target.split(sizes)))


# ---------------------------------------------------------------------------------------------------- training ---


class AdditionTrainer(Trainer):
    def __init__(self, model, source, target, epochs):
        super().__init__(model, len(source), epochs)
        self.source, self.target = source, target
        begin = torch.full((len(target), 1), BOS)
        self.decoder_input = torch.cat([begin, target[:, :-1]], dim=1)

    def loss(self, batch):
        logits = self.model(self.source[batch], self.decoder_input[batch])
        return F.cross_entropy(logits.reshape(-1, VOCABULARY), self.target[batch].reshape(-1), ignore_index=PAD)

    def epoch(self):
        """The batches of one epoch, shuffled: indices [B]."""
        return torch.randperm(len(self.source)).split(BATCH)


# -------------------------------------------------------------------------------------------------- evaluation ---


def greedy_decode(model, memory):
    tokens = torch.full((memory.size(0), 1), BOS)
    for _ in range(TARGET_LENGTH):
        logits = model.decode(tokens, memory)
        tokens = torch.cat([tokens, logits[:, -1].argmax(dim=-1, keepdim=True)], dim=1)
    return tokens[:, 1:]


@torch.inference_mode()
def evaluate(model, source, target, batch_size):
    """The shares of digits right, teacher-forced, and of sums right, greedy.

    Not of sums right for both: fed the right digits or its own, a model has the same sums entirely right.
    """
    model.eval()
    digits = sums = 0
    for source_batch, target_batch in zip(source.split(batch_size), target.split(batch_size)):
        memory = model.encode(source_batch)
        begin = torch.full((len(target_batch), 1), BOS)
        logits = model.decode(torch.cat([begin, target_batch[:, :-1]], dim=1), memory)
        digits += (logits.argmax(dim=-1) == target_batch).sum().item()
        sums += (greedy_decode(model, memory) == target_batch).all(dim=1).sum().item()
    return digits / target.numel(), sums / len(target)


def ablate_heads(model, source, target, batch_size):
    """The scores as it is, and with each head switched off in turn: {name: (digits, sums)}."""
    results = {"baseline": evaluate(model, source, target, batch_size)}
    for name, attention in model.attentions():
        for head in range(HEADS):
            attention.head_mask = torch.ones(HEADS)
            attention.head_mask[head] = 0
            results[f"{name} H{head}"] = evaluate(model, source, target, batch_size)
            attention.head_mask = None
    return results


# ------------------------------------------------------------------------------------------------------- modes ---


def measure_ablation(model, source, target, batch_size):
    evaluate(model, source[:batch_size], target[:batch_size], batch_size)  # allocator and caches
    results, times = measure_seconds(lambda: ablate_heads(model, source, target, batch_size))
    return {
        **times,
        "problems": len(source),
        "evaluations": len(results),
        "batch_size": batch_size,
        **facts(model),
    }


def scores_in_words(model, source, target):
    digits, sums = evaluate(model, source, target, arguments.batch_size)
    return f"teacher-forced digits {digits:.2%}, greedy exact match {sums:.2%}"


def main():
    torch.manual_seed(arguments.seed)
    train, validation, test = make_splits(arguments.seed)
    model = Seq2SeqTransformer()
    if arguments.epochs is not None:
        trainer = AdditionTrainer(model, *train, arguments.epochs)
        trainer.train(lambda: scores_in_words(model, *validation), arguments.epochs)
        print("test:", scores_in_words(model, *test))
    elif arguments.measure == "train":
        print(json.dumps(measure_train(AdditionTrainer(model, *train, epochs=50), arguments.seconds)))
    else:
        problems = (tensor[: arguments.problems] for tensor in test)
        print(json.dumps(measure_ablation(model, *problems, arguments.batch_size)))


main()
