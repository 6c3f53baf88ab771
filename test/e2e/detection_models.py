"""torchvision's detectors with random weights, as its exporter writes them.

Untrained heads saturate, so their last layers are scaled until scores and
offsets spread as trained ones do. One of two images has hits and the other has
none: the score threshold is chosen between them.
"""
import torch
from torch import nn
from torchvision.models import detection


def ssdlite():
    return detection.ssdlite320_mobilenet_v3_large(
        weights=None, weights_backbone=None, num_classes=5), (320, 320)


def retinanet():
    return detection.retinanet_resnet50_fpn(
        weights=None, weights_backbone=None, num_classes=5, min_size=128,
        max_size=160), (128, 152)


def fasterrcnn():
    return detection.fasterrcnn_mobilenet_v3_large_320_fpn(
        weights=None, weights_backbone=None, num_classes=5, min_size=160,
        max_size=200), (160, 184)


def maskrcnn():
    return detection.maskrcnn_resnet50_fpn(
        weights=None, weights_backbone=None, num_classes=5, min_size=128,
        max_size=160, rpn_post_nms_top_n_test=200,
        box_detections_per_img=20), (128, 152)


def last_layers(model):
    """The layers that compute scores or offsets of boxes, in the order of
    their dependence, each with the spread it shall have."""
    if hasattr(model, "rpn"):
        yield model.rpn.head.cls_logits, 1.5
        yield model.rpn.head.bbox_pred, 0.2
        yield model.roi_heads.box_predictor.cls_score, 1.5
        yield model.roi_heads.box_predictor.bbox_pred, 0.5
        if model.roi_heads.has_mask():
            yield model.roi_heads.mask_predictor.mask_fcn_logits, 1.5
        return
    head = model.head
    if hasattr(head.classification_head, "cls_logits"):
        yield head.classification_head.cls_logits, 1.5
        yield head.regression_head.bbox_reg, 0.2
        return
    for branch, spread in ((head.classification_head, 1.5),
                           (head.regression_head, 1.0)):
        for layer in branch.module_list:
            yield layer[-1], spread


def spread_scores(model, image):
    """Scales the last layers one after another."""
    for layer, spread in last_layers(model):
        seen = []
        hook = layer.register_forward_hook(
            lambda _, inputs, output: seen.append(output.flatten()))
        model([image])
        hook.remove()
        layer.weight *= spread / torch.cat(seen).std()


def spread_features(model, images):
    """Sets the statistics of batch normalization to those of the images."""
    norms = [m for m in model.modules()
             if isinstance(m, nn.modules.batchnorm._BatchNorm)]
    for norm in norms:
        norm.reset_running_stats()
        norm.momentum = None
        norm.train()
    model(images)
    for norm in norms:
        norm.eval()
        norm.running_var += 1e-3


def choose_threshold(model, images, most):
    """A score that one image exceeds at most `most` times, and another does
    not. Returns it with these two images."""
    owner = getattr(model, "roi_heads", model)
    owner.score_thresh = 0.0
    scores = [model([image])[0]["scores"].sort(descending=True)[0]
              for image in images]
    best = [float(s[0]) for s in scores]
    low = min(range(len(images)), key=lambda i: best[i])
    above = [s[:most + 1][s[:most + 1] > best[low] + 1e-3] for s in scores]
    high = max(range(len(images)), key=lambda i: len(above[i]))
    # Take the widest gap in the lower half, so that rounding cannot change a
    # decision. Scores that the list does not hold may lie below its last one.
    ladder = above[high].tolist()
    if len(ladder) <= most:
        ladder.append(best[low])
    at = max(range(len(ladder) // 2, len(ladder) - 1),
             key=lambda i: ladder[i] - ladder[i + 1])
    owner.score_thresh = (ladder[at] + ladder[at + 1]) / 2
    return [images[high], images[low]]


class Detector(nn.Module):
    """A detector of one image with its results in the order of their names."""

    def __init__(self, model):
        super().__init__()
        self.model = model

    def forward(self, image):
        found = self.model([image])[0]
        return tuple(found.values())


def make(build, draw, seed, most=24):
    """The module, its images and the names of its results."""
    model, size = build()
    random = draw(model, seed)
    model.eval()
    noise = [torch.rand(3, *size, generator=random) for _ in range(2)]
    images = [noise[0], 0.5 + 0.1 * noise[1], 0.1 * noise[1],
              1 - 0.1 * noise[1]]
    with torch.no_grad():
        spread_features(model, images[:2])
        spread_scores(model, images[0])
        images = choose_threshold(model, images, most)
        found = model([images[0]])[0]
    names = list(found)
    return Detector(model).eval(), images, names
