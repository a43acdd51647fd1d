# SPDX-License-Identifier: Apache-2.0
"""workload: train_step and eval_step with the user's data set and model: the same work as in stepbench's own step, by
the same torch calls."""
import contextlib
import math

import torch
from stepbench_user_code import model as user_model
from stepbench_user_code import user_file
from stepbench_user_code.loader_options import loader_options
from stepbench_user_code.user_file import UserError
from torch.nn import functional
from torch.utils.flop_counter import FlopCounterMode

from stepbench_fallback_worker.batches import Batches, Data
from stepbench_fallback_worker.optimizer import make_optimizer

FINGERPRINT_SAMPLES = 4
PLACEMENTS = ("inline", "inline_non_blocking", "none")
PHASES = ("h2d", "zero_grad", "forward", "loss", "backward", "optimizer")
H2D, ZERO_GRAD, FORWARD, LOSS, BACKWARD, OPTIMIZER = range(len(PHASES))


class ModelStep:
    """Common part of training and evaluation."""

    phases = PHASES

    def __init__(self, case, device):
        self.case = case
        self.device = device
        self.precision = case.get("model.precision")
        self.channels_last = case.get("model.memory_format") == "channels_last"
        self.largest = 0
        if case.get("model.cuda_graph", False):
            case.refuse("model.cuda_graph", "the graph")
        if case.get("transfer.placement") not in PLACEMENTS:
            case.refuse("transfer.placement", case.get("transfer.placement"))
        if case.get("model.loss") == "masked_cross_entropy":
            case.refuse("model.loss", "masked_cross_entropy")

    def set_up(self, loop):
        self.loop = loop
        self.times = loop.times
        self.data = Data(self.case)
        self.batches = Batches(self.data, self.case)
        self.batches.begin()
        sample = self.data.first(1).tensors
        if len(sample) < 2:
            raise UserError("data.path", "a model step needs a target, and this data set has one field only")
        if self.device.type == "cuda":
            torch.backends.cuda.matmul.allow_tf32 = torch.backends.cudnn.allow_tf32 = self.precision == "tf32"
            torch.backends.cudnn.benchmark = self.case.get("model.cudnn_benchmark", False)
        torch.backends.cudnn.deterministic = self.case.get("model.deterministic", False)
        torch.use_deterministic_algorithms(torch.backends.cudnn.deterministic)
        self.path = self.case.get("model.path")
        self.classes = self.data.classes()
        torch.manual_seed(self.case.get("seed"))
        offered = {"classes": self.classes, "input_shape": tuple(sample[0].shape[1:])}
        made = self.case.call("model.path", self.path, "model", offered)
        self.model = user_model.checked(made, self.path)
        user_model.move(self.model, self.device, self.channels_last)
        self.try_on_samples()
        self.prepare()

    def try_on_samples(self):
        """Checks the model on samples, without torch.compile, which would compile something other than the measured
        step."""
        size = loader_options(self.case.options)["batch_size"] or FINGERPRINT_SAMPLES
        tensors = self.on_device(self.data.first(size))
        plain = user_model.plain(self.model)
        plain.train(False)
        try:
            with torch.no_grad():
                output = self.logits(plain, tensors[0])
        except UserError:
            raise
        except Exception as error:
            text = f"{list(tensors[0].shape[1:])} per sample. It says: {user_file.reason_of(error)}"
            raise UserError("model.path", f"{self.path} does not take this data: given {text}") from None
        plain.train(True)
        expected = [*tensors[1].shape, self.classes]
        if list(output.shape[:-1]) != expected[:-1] or output.shape[-1] < self.classes:
            raise UserError(
                "model.path",
                f"{self.path} gives {list(output.shape)} for {len(tensors[0])} samples; this data set needs logits {expected}",
            )

    def steps_per_epoch(self):
        """The smallest number of steps that covers whole epochs, so that borders recur at the same place of a step."""
        batches = self.batches.per_epoch()
        return batches // math.gcd(batches, self.case.get("model.accumulate"))

    def on_device(self, batch):
        later = self.case.get("transfer.placement") == "inline_non_blocking" or self.case.get("transfer.non_blocking", False)
        return [tensor.to(self.device, non_blocking=later) for tensor in batch.tensors[:2]]

    def next(self):
        """Returns input and target on the device."""
        batch = self.batches.next(self.loop)
        self.size += batch.size
        self.bytes += batch.bytes
        if batch.tensors[0].dtype == torch.int64:
            self.tokens += batch.tensors[0].numel()
        if self.device.type == "cpu":
            return batch.tensors[:2]
        with self.phase(H2D):
            return self.on_device(batch)

    def step(self):
        """Runs a step; returns samples, tokens and bytes."""
        self.size = self.tokens = self.bytes = 0
        self.run()
        self.largest = max(self.largest, self.size)
        return self.size, self.tokens, self.bytes

    @contextlib.contextmanager
    def phase(self, slot):
        self.times.enter(slot)
        yield
        self.times.leave(slot)

    def autocast(self):
        dtype = {"bf16": torch.bfloat16, "fp16": torch.float16}.get(self.precision)
        return torch.autocast(self.device.type, dtype) if dtype else contextlib.nullcontext()

    def logits(self, model, x):
        if x.dtype == torch.uint8:
            x = x.to(torch.float32).div_(255.0)
        if x.dim() == 4:
            x = x.contiguous(memory_format=torch.channels_last if self.channels_last else torch.contiguous_format)
        output = model(x)
        return output if isinstance(output, torch.Tensor) else user_model.logits_of(output, self.path)

    def loss(self, output, target):
        kind = self.case.get("model.loss")
        if kind == "cross_entropy":
            return functional.cross_entropy(output.flatten(0, -2), target.flatten())
        one_hot = functional.one_hot(target, output.shape[-1]).to(output.dtype)
        return (functional.mse_loss if kind == "mse" else functional.binary_cross_entropy_with_logits)(output, one_hot)

    def window(self, begins):
        self.batches.window(begins)

    def fingerprint(self):
        with FlopCounterMode(display=False) as counter:
            found = self.score(self.on_device(self.data.first(FINGERPRINT_SAMPLES)))
        self.flops = counter.get_total_flops() / FINGERPRINT_SAMPLES
        return found

    def report(self, said):
        said["effective"].update({
            "device": str(self.device),
            "data.digest": self.data.users.digest(),
            "model.digest": user_file.digest([self.path]),
        })
        said["notes"] += filter(None, [self.data.left_out()])
        parameters = sum(each.numel() for each in self.model.parameters())
        said["metrics"].update(model_parameters=parameters, model_flops_per_step=self.flops * self.largest)
        said["metrics"].update(self.batches.metrics())

    def tear_down(self):
        self.batches.close()


class TrainStep(ModelStep):
    def prepare(self):
        case = self.case
        self.accumulate = case.get("model.accumulate")
        self.clip_norm = case.get("optimizer.clip_norm")
        self.set_to_none = case.get("optimizer.set_to_none")
        self.parameters = [each for each in self.model.parameters() if each.requires_grad]
        if not self.parameters:
            raise UserError("model.path", f"{self.path} has no parameters to train: none requires a gradient. Measure it "
                            "with workload: eval_step")
        self.optimizer = make_optimizer(case, self.model.parameters())
        self.scaler = torch.amp.GradScaler(self.device.type) if self.precision == "fp16" else None

    def run(self):
        for i in range(self.accumulate):
            self.micro_batch(i == 0)
        with self.phase(OPTIMIZER):
            self.update()

    def micro_batch(self, first):
        x, target = self.next()
        if first:
            with self.phase(ZERO_GRAD):
                self.optimizer.zero_grad(self.set_to_none)
        with self.autocast():
            with self.phase(FORWARD):
                output = self.logits(self.model, x)
            with self.phase(LOSS):
                loss = self.loss(output, target)
                if self.accumulate > 1:
                    loss = loss / self.accumulate
        with self.phase(BACKWARD):
            (self.scaler.scale(loss) if self.scaler else loss).backward()

    def update(self):
        if self.scaler and self.clip_norm > 0:
            self.scaler.unscale_(self.optimizer)
        if self.clip_norm > 0:
            torch.nn.utils.clip_grad_norm_(self.parameters, self.clip_norm)
        if self.scaler:
            self.scaler.step(self.optimizer)
            self.scaler.update()
        else:
            self.optimizer.step()

    def score(self, fixed):
        self.optimizer.zero_grad(True)
        with self.autocast():
            loss = self.loss(self.logits(user_model.plain(self.model), fixed[0]), fixed[1])
        loss.backward()
        norms = [torch.linalg.vector_norm(each.grad) for each in self.parameters if each.grad is not None]
        return float(loss.detach()), float(torch.linalg.vector_norm(torch.stack(norms)))


class EvalStep(ModelStep):
    def prepare(self):
        self.model.train(False)

    def run(self):
        x, _ = self.next()
        with self.phase(FORWARD), torch.no_grad(), self.autocast():
            self.logits(self.model, x)

    def score(self, fixed):
        with torch.no_grad(), self.autocast():
            return float(self.loss(self.logits(user_model.plain(self.model), fixed[0]), fixed[1])), None
