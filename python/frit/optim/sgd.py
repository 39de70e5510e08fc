"""SGD with momentum, as PyTorch: the first buffer is the gradient itself, without dampening."""
from frit import _C
from frit.optim.optimizer import Optimizer


class SGD(Optimizer):
    def __init__(self, params, lr=1e-3, momentum=0.0, dampening=0.0, weight_decay=0.0, nesterov=False, *,
                 maximize=False):
        if momentum < 0.0:
            raise ValueError(f"Invalid momentum value: {momentum}")
        if weight_decay < 0.0:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        if nesterov and (momentum <= 0 or dampening != 0):
            raise ValueError("Nesterov momentum requires a momentum and zero dampening")
        self.state_names = ("momentum_buffer",) if momentum != 0 else ()
        super().__init__(params, dict(lr=lr, momentum=momentum, dampening=dampening, weight_decay=weight_decay,
                                      nesterov=nesterov, maximize=maximize))

    def update(self, group):
        momentum, dampening, decay = group["momentum"], group["dampening"], group["weight_decay"]
        # 1 at the first step and 1 - dampening after it: so the buffer starts as the gradient itself.
        weight = None
        if momentum != 0 and dampening != 0:
            weight = _C.ops["where"](group["step"] == 1.0, 1.0, 1 - dampening).to(_C.float64)
        for p, buffer in zip(group["params"], group["momentum_buffer"] if momentum != 0 else group["params"]):
            grad = p.grad
            if grad is None:
                continue
            if group["maximize"]:
                grad = -grad
            if decay != 0:
                grad = grad + p * decay
            if momentum != 0:
                buffer.mul_(momentum)
                buffer.add_(grad if weight is None else grad * weight)
                grad = grad + buffer * momentum if group["nesterov"] else buffer
            p.sub_(grad * group["lr"])
