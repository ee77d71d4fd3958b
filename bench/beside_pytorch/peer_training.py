"""What the peers have in common: how they train, and how that is timed."""

import math
import time

import torch
from torch import nn

BATCH, LEARNING_RATE, BETAS, WARM_UP, CLIP = 64, 1e-3, (0.9, 0.98), 0.05, 1.0


def sinusoidal_positions(length, width):
    position = torch.arange(length).unsqueeze(1)
    rate = torch.exp(torch.arange(0, width, 2) * (-math.log(10000.0) / width))
    positions = torch.zeros(length, width)
    positions[:, 0::2] = torch.sin(position * rate)
    positions[:, 1::2] = torch.cos(position * rate)
    return positions


def xavier(model):
    for parameter in model.parameters():
        if parameter.dim() > 1:
            nn.init.xavier_uniform_(parameter)


class Trainer:
    """AdamW with warm-up and cosine, gradients clipped. Subclasses have loss(batch), and epoch(): its batches."""

    def __init__(self, model, samples, epochs):
        self.model = model
        steps = epochs * math.ceil(samples / BATCH)
        warm_up = max(1, int(WARM_UP * steps))

        def rate(step):
            if step < warm_up:
                return (step + 1) / warm_up
            return 0.5 * (1 + math.cos(math.pi * (step - warm_up) / max(1, steps - warm_up)))

        # foreach: a few per cent faster here, on the processor too.
        self.optimizer = torch.optim.AdamW(model.parameters(), lr=LEARNING_RATE, betas=BETAS, foreach=True)
        self.schedule = torch.optim.lr_scheduler.LambdaLR(self.optimizer, rate)

    def step(self, batch):
        loss = self.loss(batch)
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()
        nn.utils.clip_grad_norm_(self.model.parameters(), CLIP)
        self.optimizer.step()
        self.schedule.step()
        return loss.item()

    def train(self, validate, epochs):
        """`validate` says in words how good the model is."""
        for epoch in range(1, epochs + 1):
            started = time.perf_counter()
            self.model.train()
            losses = [self.step(batch) for batch in self.epoch()]
            seconds = time.perf_counter() - started
            mean = sum(losses) / len(losses)
            print(f"epoch {epoch:2}: loss {mean:.4f}, {seconds:.1f} s; validation: {validate()}", flush=True)


def facts(model):
    return {
        "parameters": sum(parameter.numel() for parameter in model.parameters()),
        "threads": torch.get_num_threads(),
        "version": f"PyTorch {torch.__version__}",
    }


def full_batches(trainer):
    while True:
        yield from (batch for batch in trainer.epoch() if len(batch) == BATCH)


def measure_train(trainer, seconds):
    batches = full_batches(trainer)
    trainer.model.train()

    def steps_within(limit):
        losses, stop = [], time.perf_counter() + limit
        while not losses or time.perf_counter() < stop:
            losses.append(trainer.step(next(batches)))
        return losses

    steps_within(min(1.0, seconds / 4))  # allocator and caches
    started, cpu_started = time.perf_counter(), time.process_time()
    losses = steps_within(seconds)
    samples = len(losses) * BATCH
    return {
        "samples_per_second": samples / (time.perf_counter() - started),
        "samples_per_cpu_second": samples / (time.process_time() - cpu_started),
        "steps": len(losses),
        "loss": losses[-1],
        **facts(trainer.model),
    }


def measure_seconds(work):
    """What `work` returns, and how long it took."""
    started, cpu_started = time.perf_counter(), time.process_time()
    result = work()
    return result, {
        "seconds": time.perf_counter() - started,
        "cpu_seconds": time.process_time() - cpu_started,
    }
