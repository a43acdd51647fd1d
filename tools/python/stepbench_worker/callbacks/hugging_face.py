# SPDX-License-Identifier: Apache-2.0
"""Measures training by Hugging Face's Trainer:

    Trainer(..., callbacks=[HuggingFaceCallback()]).train()

with `stepbench run --python finetune.py` or alone. The Trainer's hooks separate the wait for data and the optimizer
from the rest; forward and backward lie between two hooks and stay in `other`. A step is one optimizer step, with all of
its batches if gradients are accumulated."""
from typing import Any

from stepbench_worker import Steps, phase
from stepbench_worker.batch import size_of

TrainerCallback: Any
from transformers import TrainerCallback  # type: ignore[import-not-found,no-redef] # noqa: E402


class HuggingFaceCallback(TrainerCallback):  # type: ignore[misc]
    def __init__(self, **schedule: Any) -> None:
        """Arguments as in measure(): wait, warmup, active, repeat, results."""
        self._schedule = schedule
        self._steps: Any = None  # Steps; set in the first epoch
        self._optimizer = phase("optimizer")
        self._step = 0  # of the epoch

    def on_epoch_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._steps is None:
            self._steps = Steps(**self._schedule)
        self._step = 0
        self._steps.begin()

    def on_step_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._steps.fetched(first_of_epoch=self._step == 0)

    def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._optimizer.__enter__()

    def on_optimizer_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        self._optimizer.__exit__(None, None, None)

    def on_step_end(self, args: Any, state: Any, control: Any, train_dataloader: Any = None, **_: Any) -> None:
        batches = args.gradient_accumulation_steps
        first = self._step * batches
        self._step += 1
        dealt = sum(size_of(train_dataloader, index) for index in range(first, first + batches))
        if not self._steps.end(samples=dealt or args.per_device_train_batch_size * batches):
            control.should_training_stop = True
        self.on_epoch_end(args, state, control)

    def on_epoch_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if control.should_evaluate or control.should_save:  # the following is not part of a step
            self._steps.leave()

    def on_evaluate(self, args: Any, state: Any, control: Any, **_: Any) -> None:
        if self._steps is not None and not self._steps.done:
            self._steps.leave(over=True)  # if another callback requested it after on_step_end()
            if not control.should_save:
                self._steps.begin()

    on_save = on_evaluate
