"""Adam (Kingma and Ba, 2015) and AdamW (Loshchilov and Hutter, 2019), with PyTorch's order of operations:
denominator sqrt(v) / sqrt(1 - beta2^t) + eps, step size lr / (1 - beta1^t)."""
from frit.optim.optimizer import Optimizer


class Adam(Optimizer):
    """weight_decay is added to the gradient."""

    state_names = ("exp_avg", "exp_avg_sq")
    decoupled = False

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=0.0, *, maximize=False):
        if not 0.0 <= eps:
            raise ValueError(f"Invalid epsilon value: {eps}")
        for i, beta in enumerate(betas):
            if not 0.0 <= beta < 1.0:
                raise ValueError(f"Invalid beta parameter at index {i}: {beta}")
        if not 0.0 <= weight_decay:
            raise ValueError(f"Invalid weight_decay value: {weight_decay}")
        super().__init__(params, dict(lr=lr, betas=betas, eps=eps, weight_decay=weight_decay, maximize=maximize))

    def update(self, group):
        beta1, beta2 = group["betas"]
        lr, step, decay = group["lr"], group["step"], group["weight_decay"]
        root2 = (1 - beta2**step).sqrt()
        step_size = lr / (1 - beta1**step)
        keep = 1 - lr * decay if self.decoupled and decay != 0 else None
        for p, exp_avg, exp_avg_sq in zip(group["params"], group["exp_avg"], group["exp_avg_sq"]):
            grad = p.grad
            if grad is None:
                continue
            if group["maximize"]:
                grad = -grad
            if not self.decoupled and decay != 0:
                grad = grad + p * decay
            if keep is not None:
                p.mul_(keep)
            exp_avg.lerp_(grad, 1 - beta1)
            exp_avg_sq.mul_(beta2).addcmul_(grad, grad, value=1 - beta2)
            denominator = exp_avg_sq.sqrt() / root2 + group["eps"]
            p.sub_(exp_avg / denominator * step_size)


class AdamW(Adam):
    """Weights decay by themselves."""

    decoupled = True

    def __init__(self, params, lr=1e-3, betas=(0.9, 0.999), eps=1e-8, weight_decay=1e-2, *, maximize=False):
        super().__init__(params, lr, betas, eps, weight_decay, maximize=maximize)
