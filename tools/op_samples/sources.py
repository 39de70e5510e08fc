"""Where calls come from: PyTorch's op_db, layouts and special values it does not cover, and calls
written out here for what op_db has no entry for."""
import itertools

import torch
import torch.nn.functional as F

from capture import DTYPES

FLOATS = DTYPES[:4]

# op_db entries (name or name/variant) whose samples are stored.
OP_DB = """
abs add sub mul div/no_rounding_mode div/trunc_rounding div/floor_rounding true_divide neg positive
sign reciprocal pow sqrt rsqrt square exp expm1 log log1p log2 sin cos tanh sigmoid
nn.functional.relu nn.functional.gelu nn.functional.silu erf floor ceil round round/decimals_0
round/decimals_3 round/decimals_neg_3 trunc clamp clamp_min clamp_max minimum maximum max/binary
min/binary where eq ne lt le gt ge isnan logical_and logical_or logical_xor logical_not bitwise_and
bitwise_or bitwise_xor bitwise_not remainder floor_divide lerp addcmul addcdiv masked_fill
nn.functional.threshold nn.functional.leaky_relu nn.functional.hardtanh nn.functional.softplus
atan2 fill zero_ __radd__ __rsub__ __rmul__ __rdiv__ __rpow__ __rmod__ __rand__ __ror__ __rxor__
rsub
sum mean prod amax amin aminmax max/reduction_with_dim max/reduction_no_dim
min/reduction_with_dim min/reduction_no_dim argmax argmin any all var var/unbiased std std/unbiased
var_mean cumsum norm norm/fro norm/inf linalg.vector_norm logsumexp softmax softmax/with_dtype
log_softmax log_softmax/with_dtype nn.functional.layer_norm native_layer_norm
nn.functional.cross_entropy nn.functional.nll_loss nn.functional.mse_loss
nn.functional.binary_cross_entropy_with_logits _softmax_backward_data
view view_as reshape reshape_as permute transpose T mT t expand expand_as broadcast_to squeeze
squeeze/multiple unsqueeze select slice narrow split split/list_args split_with_sizes chunk unbind
cat stack flatten unflatten as_strided as_strided/partial_views diagonal unfold movedim flip roll
repeat clone contiguous to bfloat16 bool byte double float half int long short char select_scatter
slice_scatter diagonal_scatter as_strided_scatter
matmul __rmatmul__ mm bmm addmm addmm/decomposed mv dot nn.functional.linear baddbmm outer addmv
index_select gather scatter scatter_add __getitem__ index_put index_add index_fill index_copy
nn.functional.embedding masked_select masked_scatter nonzero topk sort argsort tril triu
take_along_dim nn.functional.one_hot
arange full zeros ones empty empty_strided zeros_like ones_like full_like empty_like new_empty
new_zeros new_ones new_full new_empty_strided scalar_tensor randn randn_like rand_like randint
randint_like bernoulli nn.functional.dropout native_dropout_backward normal normal/number_mean
normal/in_place uniform item sum_to_size
""".split()

# Backward calls worth having as ops of their own: the forward runs, its backward is recorded.
BACKWARD_OF = """
nn.functional.relu nn.functional.threshold nn.functional.leaky_relu nn.functional.hardtanh
nn.functional.softplus nn.functional.gelu nn.functional.silu sigmoid tanh softmax log_softmax
nn.functional.layer_norm nn.functional.nll_loss nn.functional.mse_loss nn.functional.embedding
select slice diagonal unfold index_select amax max/reduction_with_dim
""".split()

UNARY = """abs neg sign reciprocal sqrt rsqrt square exp expm1 log log1p log2 sin cos tanh sigmoid relu
erf floor ceil round trunc isnan logical_not""".split()
BINARY = """add sub mul div true_divide pow floor_divide remainder maximum minimum eq ne lt le gt ge
logical_and logical_or logical_xor atan2""".split()
BITWISE = ["bitwise_and", "bitwise_or", "bitwise_xor"]
ACTIVATIONS = [F.gelu, F.silu, F.leaky_relu, F.hardtanh, F.softplus, F.relu]
REDUCE = "sum mean prod amax amin argmax argmin any all var std logsumexp cumsum".split()


def full_name(op):
    return op.name + ("/" + op.variant_test_name if op.variant_test_name else "")


def specials(dtype):
    """Values where functions differ: signs, zeros, ties, limits, infinities and NaN."""
    if dtype == torch.bool:
        return torch.tensor([False, True])
    if not dtype.is_floating_point:
        info = torch.iinfo(dtype)
        values = [0, 1, 2, 3, 7, 100, info.max, info.max - 1]
        values += [] if info.min == 0 else [-1, -2, -3, -7, -100, info.min + 1]
        return torch.tensor(values, dtype=dtype)
    info = torch.finfo(dtype)
    inf, nan = float("inf"), float("nan")
    values = [0.0, -0.0, 1.0, -1.0, 0.5, -0.5, 1.5, -1.5, 2.5, -2.5, 3.0, -3.0, 0.3, -0.7, 9.25,
              -20.75, 88.0, -88.0, 700.0, -700.0, 12345.0, info.eps, info.tiny, info.tiny / 4,
              info.max, info.min, inf, -inf, nan]
    return torch.tensor(values, dtype=torch.float64).to(dtype)


def special_values():
    for name, dtype in itertools.product(UNARY, DTYPES):
        x = specials(dtype)
        yield f"special {name} {dtype}", lambda n=name, x=x: getattr(torch, n)(
            x.clone().requires_grad_(x.dtype in FLOATS[:2]))
    for function, dtype in itertools.product(ACTIVATIONS, FLOATS):
        x = specials(dtype)
        yield f"special {function.__name__} {dtype}", lambda f=function, x=x: f(
            x.clone().requires_grad_(x.dtype in FLOATS[:2]))
    for name, dtype in itertools.product(BINARY + BITWISE, DTYPES):
        x = specials(dtype)
        divides = name in ("floor_divide", "remainder") and not dtype.is_floating_point
        y = x[x != 0] if divides else x
        y = y.abs() if name == "pow" and not dtype.is_floating_point and dtype != torch.bool else y
        yield f"special {name} {dtype}", lambda n=name, x=x, y=y: getattr(torch, n)(
            x.unsqueeze(1), y.unsqueeze(0))
    for mode, dtype in itertools.product(("trunc", "floor"), DTYPES):
        x = specials(dtype)
        y = x if dtype.is_floating_point else x[x != 0]
        yield f"special div {mode} {dtype}", lambda x=x, y=y, m=mode: torch.div(
            x.unsqueeze(1), y.unsqueeze(0), rounding_mode=m)
    for name, dtype in itertools.product(REDUCE, FLOATS):
        inf, nan = float("inf"), float("nan")
        x = torch.tensor([[1, nan, 2], [inf, 1, -inf], [nan, inf, nan], [-inf, -inf, -inf],
                          [0.0, -0.0, 0.0], [inf, inf, 1]], dtype=dtype)
        yield f"special {name} {dtype}", lambda n=name, x=x: getattr(torch, n)(x, dim=1)
    for name, dtype in itertools.product(("sort", "topk", "max", "min", "softmax", "log_softmax"),
                                         FLOATS):
        x = torch.tensor([[1, float("nan"), 2, 2], [3, 1, 3, 1], [0.0, -0.0, 0.0, -0.0]], dtype=dtype)
        more = {"topk": {"k": 3}, "sort": {"stable": True}}.get(name, {})
        yield f"special {name} {dtype}", lambda n=name, x=x, m=more: getattr(torch, n)(x, dim=1, **m)


def casts():
    """Every dtype to every dtype, with fractions and signs that all targets can hold."""
    for source, target in itertools.product(DTYPES, DTYPES):
        values = [0, 1, 2, 3, 100, 2.5, 0.75] + ([-1, -2.5, -100] if target != torch.uint8 else [])
        if source in (torch.uint8, torch.bool):
            values = [v for v in values if v >= 0]
        x = torch.tensor(values, dtype=torch.float64).to(source)
        yield f"cast {source} {target}", lambda x=x, t=target: x.to(t)
        y = torch.zeros(len(values), dtype=target)
        yield f"cast copy_ {source} {target}", lambda x=x, y=y: y.copy_(x)


def promotion():
    """Which dtype comes out: each pair of dtypes, with dimensions, without, and Python numbers."""
    binary = ["add", "sub", "mul", "div", "floor_divide", "remainder", "pow", "maximum", "eq", "lt",
              "logical_and", "bitwise_and", "atan2"]
    def values(dtype, shift):
        return torch.tensor([1, 2, 3], dtype=dtype) if dtype == torch.bool else (
            torch.arange(1, 4) + shift).to(dtype)
    for name, a, b in itertools.product(binary, DTYPES, DTYPES):
        x, y = values(a, 0), values(b, 1)
        yield f"promotion {name} {a} {b}", lambda n=name, x=x, y=y: getattr(torch, n)(x, y)
        yield f"promotion 0-d {name} {a} {b}", lambda n=name, x=x, y=y: getattr(torch, n)(x, y[1].clone())
        yield f"promotion 0-d first {name} {a} {b}", lambda n=name, x=x, y=y: getattr(torch, n)(
            x[1].clone(), y)
    for name, a, number in itertools.product(binary, DTYPES, (True, 2, 2.5)):
        if name in ("maximum", "atan2", "logical_and"):
            continue
        yield f"promotion {name} {a} {number}", lambda n=name, x=values(a, 0), k=number: getattr(
            torch, n)(x, k)
        yield f"promotion 0-d {name} {a} {number}", lambda n=name, x=values(a, 0)[1], k=number: getattr(
            torch, n)(x.clone(), k)
    for a, b in itertools.product(DTYPES, DTYPES):
        x, y, mask = values(a, 0), values(b, 1), torch.tensor([True, False, True])
        yield f"promotion where {a} {b}", lambda x=x, y=y, m=mask: torch.where(m, x, y)
        yield f"promotion cat {a} {b}", lambda x=x, y=y: torch.cat([x, y])
        yield f"promotion stack {a} {b}", lambda x=x, y=y: torch.stack([x, y])
        yield f"promotion add_ {a} {b}", lambda x=x, y=y: x.clone().add_(y)
        yield f"promotion div_ {a} {b}", lambda x=x, y=y: x.clone().div_(y)
    for a, number in itertools.product(DTYPES, (True, 2, 2.5)):
        x = values(a, 0)
        yield f"promotion where {a} {number}", lambda x=x, k=number: torch.where(x > 1, x, k)
        yield f"promotion clamp {a} {number}", lambda x=x, k=number: torch.clamp(x, min=k)
        yield f"promotion fill_ {a} {number}", lambda x=x, k=number: x.clone().fill_(k)
        yield f"promotion full_like {a} {number}", lambda x=x, k=number: torch.full_like(x, k)
        yield f"promotion masked_fill {a} {number}", lambda x=x, k=number: x.masked_fill(x > 1, k)
        yield f"promotion add_ {a} {number}", lambda x=x, k=number: x.clone().add_(k)
    for a in DTYPES:
        x = values(a, 0)
        for name in UNARY + ["sum", "mean", "prod", "cumsum", "any", "all", "argmax", "var"]:
            more = {"dim": 0} if name == "cumsum" else {}
            yield f"promotion {name} {a}", lambda n=name, x=x, m=more: getattr(torch, n)(x, **m)


def written_out():
    """Ops that op_db has no entry for, or only one form of."""
    torch.manual_seed(7)
    base = torch.randn(3, 4)
    for dtype in DTYPES:
        x = (base * 4).to(dtype)
        grad = dtype.is_floating_point
        wide = torch.zeros(6, 8, dtype=dtype)
        leaf = lambda t, g=grad: t.clone().requires_grad_(g)
        yield f"contiguous {dtype}", lambda x=x, leaf=leaf: torch.ops.aten.contiguous(leaf(x))
        yield f"contiguous transposed {dtype}", lambda x=x: x.t().contiguous()
        yield f"copy_ {dtype}", lambda x=x, leaf=leaf: torch.zeros_like(x).copy_(leaf(x))
        yield f"copy_ broadcast {dtype}", lambda x=x, leaf=leaf: torch.zeros_like(x).copy_(leaf(x[0]))
        yield f"copy_ into a slice {dtype}", lambda x=x, w=wide: w.clone()[1:4, ::2].copy_(x)
        yield f"copy_ transposed {dtype}", lambda x=x: torch.zeros_like(x).t().copy_(x.t())
        yield f"fill_ a slice {dtype}", lambda w=wide: w.clone()[1:4, ::2].fill_(1)
        yield f"zero_ a column {dtype}", lambda x=x: x.clone()[:, 1].zero_()
        yield f"add_ into a slice {dtype}", lambda x=x, w=wide: w.clone()[1:4, ::2].add_(x)
        yield f"mul_ transposed {dtype}", lambda x=x: x.clone().t().mul_(x.t())
        yield f"add_ broadcast {dtype}", lambda x=x, leaf=leaf: x.clone().add_(leaf(x[0]))
        yield f"add_ onto itself {dtype}", lambda x=x: (lambda c: c.add_(c))(x.clone())
        yield f"detach {dtype}", lambda x=x, leaf=leaf: torch.ops.aten.detach(leaf(x))
        yield f"alias {dtype}", lambda x=x, leaf=leaf: torch.ops.aten.alias(leaf(x))
        yield f"item {dtype}", lambda x=x: x[0, 0].clone().item()
        yield f"masked_fill_ {dtype}", lambda x=x: x.clone().masked_fill_(x > 0, 1)
        yield f"index_put_ {dtype}", lambda x=x: x.clone().index_put_((torch.tensor([0, 2]),), x[1])
        yield f"index_put_ accumulate {dtype}", lambda x=x: x.clone().index_put_(
            (torch.tensor([1, 1, 0]),), x, accumulate=True)
        yield f"index_add_ {dtype}", lambda x=x: x.clone().index_add_(0, torch.tensor([2, 2, 0]), x)
        yield f"scatter_add_ {dtype}", lambda x=x: x.clone().scatter_add_(
            1, torch.tensor([[0, 0, 1, 3]] * 3), x)
        yield f"eye sum_to_size {dtype}", lambda x=x, leaf=leaf: leaf(x).sum_to_size(1, 4)
        for dim in (-1, 0):
            yield f"sort stable {dim} {dtype}", lambda x=x, d=dim: torch.sort(x, dim=d, stable=True)
        if grad:
            yield f"normal_ {dtype}", lambda x=x: torch.zeros_like(x).normal_(1.0, 2.0)
            yield f"uniform_ {dtype}", lambda x=x: torch.zeros_like(x).uniform_(-1.0, 2.0)
            yield f"bernoulli_ {dtype}", lambda x=x: torch.zeros_like(x).bernoulli_(0.25)
            yield f"rand {dtype}", lambda d=dtype: torch.rand(2, 3, dtype=d)
            for train, p in itertools.product((True, False), (0.0, 0.25, 1.0)):
                yield f"dropout {p} {train} {dtype}", lambda x=x, p=p, t=train, leaf=leaf: F.dropout(
                    leaf(x), p, t)
                yield f"native_dropout {p} {train} {dtype}", lambda x=x, p=p, t=train, leaf=leaf: (
                    torch.native_dropout(leaf(x), p, t))
            yield f"norm {dtype}", lambda x=x, leaf=leaf: torch.ops.aten.norm.ScalarOpt_dim(leaf(x), 2, [1])
            yield f"norm all {dtype}", lambda x=x, leaf=leaf: torch.ops.aten.norm.Scalar(leaf(x), 2)
    for arguments in ((5,), (2, 7), (2, 9, 3), (9, 2, -3), (0,), (1.0, 2.5, 0.5), (5, 5), (0, 1.25, 0.25)):
        for dtype in (None, *DTYPES[:-1]):
            yield f"arange {arguments} {dtype}", lambda a=arguments, d=dtype: torch.arange(*a, dtype=d)
    # The parts of a training program that fold, at its own sizes but small.
    logits, target = torch.randn(5, 4), torch.tensor([0, 3, -100, 1, 2])
    for reduction, smoothing in itertools.product(("mean", "sum", "none"), (0.0, 0.1)):
        yield f"cross_entropy {reduction} {smoothing}", lambda r=reduction, s=smoothing: F.cross_entropy(
            logits.clone().requires_grad_(), target, reduction=r, label_smoothing=s)


def errors():
    """Mistakes that op_db's error inputs leave out. The aten call itself must fail."""
    x, y = torch.zeros(2, 3), torch.zeros(4, 5)
    i, b = torch.zeros(2, 3, dtype=torch.int64), torch.zeros(2, 3, dtype=torch.bool)
    for name in ("add", "sub", "mul", "div", "pow", "maximum", "eq", "lt", "where", "atan2",
                 "logical_and", "remainder", "floor_divide"):
        if name == "where":
            yield "where sizes", lambda: torch.where(b, x, y)
            continue
        yield f"{name} sizes", lambda n=name: getattr(torch, n)(x, y)
        yield f"{name} sizes 3-d", lambda n=name: getattr(torch, n)(torch.zeros(2, 3, 4), y)
    yield "sub bool", lambda: torch.sub(b, b)
    yield "neg bool", lambda: torch.neg(b)
    yield "bitwise_and float", lambda: torch.bitwise_and(x, x)
    yield "bitwise_not float", lambda: torch.bitwise_not(x)
    yield "pow negative int", lambda: torch.pow(i, -1)
    yield "floor_divide int by 0", lambda: torch.floor_divide(i, 0)
    yield "remainder int by 0", lambda: torch.remainder(i, i)
    yield "add_ result size", lambda: torch.zeros(3).add_(x)
    yield "add_ result dtype", lambda: i.clone().add_(1.5)
    yield "div_ result dtype", lambda: i.clone().div_(2)
    yield "exp_ result dtype", lambda: i.clone().exp_()
    yield "add_ into overlap", lambda: torch.zeros(1, 3).expand(2, 3).add_(1)
    yield "copy_ sizes", lambda: x.clone().copy_(y)
    yield "mm sizes", lambda: torch.mm(x, y)
    yield "mm dims", lambda: torch.mm(x, torch.zeros(3))
    yield "mm dtypes", lambda: torch.mm(x, torch.zeros(3, 2, dtype=torch.float64))
    yield "matmul sizes", lambda: torch.matmul(x, y)
    yield "matmul 0-d", lambda: torch.matmul(x, torch.tensor(1.0))
    yield "matmul batch", lambda: torch.matmul(torch.zeros(2, 3, 4), torch.zeros(3, 4, 5))
    yield "bmm sizes", lambda: torch.bmm(torch.zeros(2, 3, 4), torch.zeros(2, 5, 4))
    yield "bmm batch", lambda: torch.bmm(torch.zeros(2, 3, 4), torch.zeros(3, 4, 4))
    yield "addmm sizes", lambda: torch.addmm(torch.zeros(7), x, torch.zeros(3, 4))
    yield "mv sizes", lambda: torch.mv(x, torch.zeros(2))
    yield "dot sizes", lambda: torch.dot(torch.zeros(2), torch.zeros(3))
    yield "dot dims", lambda: torch.dot(x, x)
    yield "linear sizes", lambda: F.linear(x, torch.zeros(4, 5))
    yield "linear bias", lambda: F.linear(x, torch.zeros(4, 3), torch.zeros(3))
    yield "baddbmm sizes", lambda: torch.baddbmm(torch.zeros(3, 3, 3), torch.zeros(2, 3, 4), torch.zeros(2, 4, 5))
    for name in ("sum", "mean", "prod", "amax", "argmax", "any", "softmax", "log_softmax", "cumsum",
                 "logsumexp", "var", "max", "unsqueeze", "unbind"):
        yield f"{name} dim", lambda n=name: getattr(torch, n)(x, 5)
    yield "sum dim twice", lambda: torch.sum(x, (0, 0))
    yield "mean int", lambda: torch.mean(i)
    yield "softmax int", lambda: torch.softmax(i, 0)
    yield "amax empty", lambda: torch.amax(torch.zeros(0, 3), 0)
    yield "argmax empty", lambda: torch.argmax(torch.zeros(0))
    yield "max empty", lambda: torch.max(torch.zeros(0))
    yield "layer_norm sizes", lambda: F.layer_norm(x, (4,))
    yield "layer_norm weight", lambda: F.layer_norm(x, (3,), torch.zeros(4))
    yield "cross_entropy batch", lambda: F.cross_entropy(x, torch.zeros(3, dtype=torch.int64))
    yield "cross_entropy class", lambda: F.cross_entropy(x, torch.tensor([0, 7]))
    yield "cross_entropy target dtype", lambda: F.cross_entropy(x, torch.tensor([0, 1], dtype=torch.int32))
    yield "nll_loss batch", lambda: F.nll_loss(x, torch.zeros(3, dtype=torch.int64))
    yield "view numel", lambda: x.view(4, 2)
    yield "view strides", lambda: x.t().view(6)
    yield "view two -1", lambda: x.view(-1, -1)
    yield "reshape numel", lambda: x.reshape(4, -1)
    yield "permute twice", lambda: x.permute(0, 0)
    yield "permute count", lambda: x.permute(0,)
    yield "permute dim", lambda: x.permute(0, 2)
    yield "transpose dim", lambda: x.transpose(0, 2)
    yield "t dims", lambda: torch.zeros(2, 3, 4).t()
    yield "expand size", lambda: x.expand(4, 3)
    yield "expand dims", lambda: x.expand(3)
    yield "expand -1", lambda: x.expand(-1, 2, 3)
    yield "select index", lambda: x.select(0, 2)
    yield "select dim", lambda: x.select(2, 0)
    yield "slice step", lambda: torch.ops.aten.slice(x, 0, 0, 2, 0)
    yield "narrow length", lambda: x.narrow(0, 1, 2)
    yield "narrow start", lambda: x.narrow(0, 3, 1)
    yield "split size", lambda: x.split(-1)
    yield "split_with_sizes", lambda: x.split([1, 3])
    yield "chunk 0", lambda: x.chunk(0)
    yield "cat sizes", lambda: torch.cat([x, y])
    yield "cat dims", lambda: torch.cat([x, torch.zeros(3)])
    yield "cat nothing", lambda: torch.cat([])
    yield "stack sizes", lambda: torch.stack([x, y])
    yield "flatten dims", lambda: x.flatten(1, 0)
    yield "as_strided bounds", lambda: torch.as_strided(x, (4, 4), (4, 1))
    yield "as_strided count", lambda: torch.as_strided(x, (2, 2), (1,))
    yield "diagonal same", lambda: x.diagonal(0, 1, 1)
    yield "unfold size", lambda: x.unfold(1, 4, 1)
    yield "unfold step", lambda: x.unfold(1, 2, 0)
    yield "movedim", lambda: torch.movedim(x, 0, 3)
    yield "roll dims", lambda: torch.roll(x, (1, 2), (0,))
    yield "repeat count", lambda: x.repeat(2)
    yield "index_select bounds", lambda: torch.index_select(x, 0, torch.tensor([2]))
    yield "index_select dtype", lambda: torch.index_select(x, 0, torch.tensor([0.0]))
    yield "gather sizes", lambda: torch.gather(x, 0, torch.zeros(2, 4, dtype=torch.int64))
    yield "gather bounds", lambda: torch.gather(x, 0, torch.full((2, 3), 2))
    yield "gather dtype", lambda: torch.gather(x, 0, i.int())
    yield "scatter bounds", lambda: x.scatter(0, torch.full((2, 3), 5), x)
    yield "scatter_add dtype", lambda: x.scatter_add(0, i, x.double())
    yield "index bounds", lambda: x[torch.tensor([2])]
    yield "index mask", lambda: x[torch.tensor([True, False, True])]
    yield "index sizes", lambda: x[torch.tensor([0, 1]), torch.tensor([0, 1, 2])]
    yield "index_put sizes", lambda: x.index_put((torch.tensor([0, 1]),), torch.zeros(5))
    yield "embedding bounds", lambda: F.embedding(torch.tensor([2]), x)
    yield "embedding dtype", lambda: F.embedding(torch.tensor([0.5]), x)
    yield "index_add sizes", lambda: x.index_add(0, torch.tensor([0]), x)
    yield "masked_select dtype", lambda: torch.masked_select(x, i)
    yield "masked_fill dtype", lambda: x.masked_fill(i, 1.0)
    yield "topk k", lambda: torch.topk(x, 4)
    yield "sort dim", lambda: torch.sort(x, 2)
    yield "tril dims", lambda: torch.tril(torch.zeros(3))
    yield "arange step", lambda: torch.arange(0, 5, 0)
    yield "arange sign", lambda: torch.arange(5, 0, 1)
    yield "zeros negative", lambda: torch.zeros(-1)
    yield "randint range", lambda: torch.randint(3, 3, (2,))
    yield "bernoulli p", lambda: torch.bernoulli(torch.tensor([1.5]))
    yield "dropout p", lambda: torch.dropout(x, 1.5, True)
    yield "one_hot negative", lambda: F.one_hot(torch.tensor([-1]))
    yield "item elements", lambda: x.item()
    yield "lerp dtypes", lambda: torch.lerp(x, x.double(), 0.5)
    yield "mse_loss sizes", lambda: torch.ops.aten.mse_loss(x, y)
    yield "bce sizes", lambda: torch.ops.aten.binary_cross_entropy_with_logits(x, y)


def layouts(sample):
    """The same values held otherwise: every other element, transposed, behind an offset, broadcast."""
    def sliced(t):
        if not t.dim():
            return t
        wide = torch.zeros([2 * s + 1 for s in t.shape], dtype=t.dtype)
        return wide[tuple(slice(1, 2 * s + 1, 2) for s in t.shape)].copy_(t)

    def transposed(t):
        order = tuple(reversed(range(t.dim())))
        return t.permute(order).contiguous().permute(order)

    def broadcast(t):
        return t[:1].contiguous().expand(t.shape) if t.dim() and t.shape[0] > 1 else t

    def apply(how):
        def one(value):
            if isinstance(value, torch.Tensor):
                with torch.no_grad():
                    return how(value.detach()).requires_grad_(value.requires_grad)
            if isinstance(value, (list, tuple)):
                return type(value)(one(item) for item in value)
            return value
        return one(sample.input), tuple(one(a) for a in sample.args), {
            k: one(v) for k, v in sample.kwargs.items()}

    yield "noncontiguous", apply(lambda t: sliced(t))
    yield "transposed", apply(transposed)
    yield "broadcast", apply(broadcast)
