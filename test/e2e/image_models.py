"""Models for images of any size: pads, crops and windows computed from
extents.

`UNet` pads its upsampled tensor to the size of its skip connection, as
networks do that were trained on crops. `Windows` is a Swin block: padding to
whole windows, a shift, attention in each window, and the crop back.
"""
import torch
from torch import nn
from torch.nn import functional
from torchvision.models import swin_transformer


class Join(nn.Module):
    def __init__(self, below, beside, width):
        super().__init__()
        self.mix = nn.Conv2d(below + beside, width, 3, padding=1)

    def forward(self, below, beside):
        below = functional.interpolate(below, scale_factor=2, mode="bilinear",
                                       align_corners=True)
        rows = beside.size(2) - below.size(2)
        columns = beside.size(3) - below.size(3)
        below = functional.pad(below, [columns // 2, columns - columns // 2,
                                       rows // 2, rows - rows // 2])
        return functional.relu(self.mix(torch.cat([beside, below], 1)))


class UNet(nn.Module):
    def __init__(self):
        super().__init__()
        self.top = nn.Conv2d(3, 8, 3, padding=1)
        self.join = Join(8, 8, 4)

    def forward(self, images):
        top = functional.relu(self.top(images))
        return self.join(functional.max_pool2d(top, 2), top)


class Windows(nn.Module):
    def __init__(self):
        super().__init__()
        self.block = swin_transformer.SwinTransformerBlock(
            dim=16, num_heads=2, window_size=[4, 4], shift_size=[2, 2])

    def forward(self, rows):
        return self.block(rows)
