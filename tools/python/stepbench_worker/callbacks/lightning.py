# SPDX-License-Identifier: Apache-2.0
"""Measures the training of a LightningModule:

    Trainer(callbacks=[LightningCallback()], ...).fit(module, loader)

with `stepbench run --python fit.py` or alone. With automatic optimization Lightning calls a batch's hooks in this
order, at which phases begin and end: training_step, zero_grad, backward, optimizer step. The wait for data is
everything between two batches, including the copy to the device."""
from typing import Any

from stepbench_worker import Steps, phase, report
from stepbench_worker.batch import size_of

Callback: Any
try:
    from lightning.pytorch import Callback  # type: ignore[import-not-found,no-redef]
except ImportError:
    from pytorch_lightning import Callback  # type: ignore[import-not-found,no-redef]


class LightningCallback(Callback):  # type: ignore[misc]
    def __init__(self, **schedule: Any) -> None:
        """Arguments as in measure(): wait, warmup, active, repeat, results."""
        self._schedule = schedule
        self._steps: Any = None  # Steps; set in the first epoch
        self._phase: Any = None
        self._in_step = False

    def _switch(self, name: str = "") -> None:
        if self._phase is not None:
            self._phase.__exit__(None, None, None)
        self._phase = phase(name) if name else None
        if self._phase is not None:
            self._phase.__enter__()

    def on_train_epoch_start(self, trainer: Any, module: Any) -> None:
        if self._steps is None:
            batches = trainer.num_training_batches
            self._steps = Steps(epoch_steps=batches if isinstance(batches, int) else 0, **self._schedule)
        self._steps.begin()

    def on_train_batch_start(self, trainer: Any, module: Any, batch: Any, batch_idx: Any) -> None:
        self._steps.fetched(first_of_epoch=batch_idx == 0)
        self._in_step = True
        self._switch("forward")

    def on_before_zero_grad(self, trainer: Any, module: Any, optimizer: Any) -> None:
        self._switch("zero_grad")

    def on_before_backward(self, trainer: Any, module: Any, loss: Any) -> None:
        self._switch("backward")

    def on_after_backward(self, trainer: Any, module: Any) -> None:
        self._switch()

    def on_before_optimizer_step(self, trainer: Any, module: Any, optimizer: Any) -> None:
        self._switch("optimizer")

    def on_train_batch_end(self, trainer: Any, module: Any, outputs: Any, batch: Any, batch_idx: Any) -> None:
        self._switch()
        self._in_step = False
        loss = outputs["loss"] if isinstance(outputs, dict) else outputs
        report(loss=loss)
        if not self._steps.end(samples=self._samples(trainer, batch, batch_idx)):
            trainer.should_stop = True

    def _samples(self, trainer: Any, batch: Any, index: int) -> int:
        loader = getattr(trainer, "train_dataloader", None)
        return size_of(loader, index) or int(self._steps.count(batch, getattr(loader, "batch_size", None)))

    def on_validation_start(self, trainer: Any, module: Any) -> None:
        if self._steps is not None and not self._steps.done:
            self._steps.leave()

    def on_save_checkpoint(self, trainer: Any, module: Any, checkpoint: Any) -> None:
        """Writing follows, and no hook comes after it: the next step begins with its batch."""
        if not self._in_step:
            self.on_validation_start(trainer, module)

    def on_validation_end(self, trainer: Any, module: Any) -> None:
        if self._steps is not None and not self._steps.done:
            self._steps.begin()
