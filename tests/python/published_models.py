"""Models of torchvision and Hugging Face's transformers, unmodified, of small configurations: where those are installed.

torchvision goes with one release of torch: 0.29 with 2.14. The CPU build of torch 2.13 has none.
"""
import torch
from torch import nn

MODELS = {}  # name: the module, and its arguments for a batch

try:
    import torchvision.models as vision
except ImportError:
    vision = None
try:
    import transformers
except ImportError:
    transformers = None


def image(size):
    return lambda n: (torch.randn(n, 3, size, size),)


def words(n):
    return (torch.randint(0, 99, (n, 8)),)


def vit():
    model = vision.VisionTransformer(32, 8, 4, 4, 32, 64, num_classes=10)
    nn.init.normal_(model.heads.head.weight)  # zeros as published, which would hide all before it
    return model


def bert():
    return transformers.BertModel(transformers.BertConfig(
        vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=64,
        max_position_embeddings=64))


def gpt2():
    return transformers.GPT2LMHeadModel(transformers.GPT2Config(
        vocab_size=99, n_embd=32, n_layer=2, n_head=4, n_positions=64, use_cache=False, bos_token_id=0, eos_token_id=1))


def llama():
    return transformers.LlamaForCausalLM(transformers.LlamaConfig(
        vocab_size=99, hidden_size=32, num_hidden_layers=2, num_attention_heads=4, num_key_value_heads=2,
        intermediate_size=64, max_position_embeddings=64, use_cache=False))


if vision:
    MODELS["ResNet-18"] = (lambda: vision.resnet18(num_classes=10), image(64))
    MODELS["MobileNetV3"] = (lambda: vision.mobilenet_v3_small(num_classes=10), image(64))
    MODELS["ViT"] = (vit, image(32))
    MODELS["Swin"] = (lambda: vision.SwinTransformer([4, 4], 24, [2, 2], [2, 4], [4, 4], num_classes=10), image(32))
if transformers:
    MODELS["BERT"] = (bert, words)
    MODELS["GPT-2"] = (gpt2, words)
    MODELS["Llama"] = (llama, words)
