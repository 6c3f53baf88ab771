"""Models whose time is not in large products alone.

`Neighbours` finds the nearest neighbours of each point in every layer, as
DGCNN. `Points` is PointNet: products over points, then a maximum. `Boxes` is a
YOLO head with suppression. `Style` is a network for style transfer: reflected
borders, instance norms, upsampling. `Tagger` is a bidirectional LSTM.
"""
import torch
import torchvision
from torch import nn
from torch.nn import functional


class Neighbours(nn.Module):
    def __init__(self, nearest=20):
        super().__init__()
        self.nearest = nearest
        self.layers = nn.ModuleList(
            nn.Sequential(nn.Conv2d(2 * before, after, 1, bias=False),
                          nn.BatchNorm2d(after), nn.LeakyReLU(0.2))
            for before, after in ((3, 32), (32, 32), (32, 64)))
        self.head = nn.Linear(64, 10)

    def forward(self, points):
        batch, _, count = points.shape
        for layer in self.layers:
            squares = (points * points).sum(1, keepdim=True)
            apart = 2 * points.transpose(1, 2) @ points - squares \
                - squares.transpose(1, 2)
            near = apart.topk(self.nearest, dim=2).indices
            width = points.shape[1]
            index = near.reshape(batch, 1, -1).expand(-1, width, -1)
            others = points.gather(2, index).reshape(
                batch, width, count, self.nearest)
            here = points.unsqueeze(3).expand(-1, -1, -1, self.nearest)
            points = layer(torch.cat([others - here, here], 1)).amax(3)
        return self.head(points.amax(2))


class Points(nn.Module):
    def __init__(self):
        super().__init__()
        self.layers = nn.Sequential(
            *(nn.Sequential(nn.Conv1d(before, after, 1),
                            nn.BatchNorm1d(after), nn.ReLU())
              for before, after in ((3, 64), (64, 64), (64, 128),
                                    (128, 1024))))
        self.head = nn.Sequential(nn.Linear(1024, 256), nn.ReLU(),
                                  nn.Linear(256, 40))

    def forward(self, points):
        return self.head(self.layers(points).amax(2))


class Boxes(nn.Module):
    """Three boxes a cell; scores of the best class choose among them."""

    def __init__(self, classes=20):
        super().__init__()
        self.classes = classes
        self.body = nn.Sequential(
            nn.Conv2d(3, 16, 3, 2, 1), nn.SiLU(), nn.Conv2d(16, 32, 3, 2, 1),
            nn.SiLU(), nn.Conv2d(32, 64, 3, 2, 1), nn.SiLU(),
            nn.Conv2d(64, 128, 3, 2, 1), nn.SiLU())
        self.head = nn.Conv2d(128, 3 * (5 + classes), 1)

    def forward(self, images):
        found = self.head(self.body(images))
        _, _, rows, columns = found.shape
        found = found.reshape(3, 5 + self.classes, rows, columns).permute(
            0, 2, 3, 1).sigmoid()
        y, x = torch.meshgrid(torch.arange(rows), torch.arange(columns),
                              indexing="ij")
        center = (found[..., :2] * 2 + torch.stack([x, y], 2)) * 16
        half = (found[..., 2:4] * 2) ** 2 * 6
        boxes = torch.cat([center - half, center + half], 3).reshape(-1, 4)
        scores = (found[..., 4:5] * found[..., 5:]).amax(3).reshape(-1)
        kept = torchvision.ops.nms(boxes, scores, 0.45)
        return boxes[kept], scores[kept]


class Residual(nn.Module):
    def __init__(self, width):
        super().__init__()
        self.first = nn.Conv2d(width, width, 3, padding=1,
                               padding_mode="reflect")
        self.second = nn.Conv2d(width, width, 3, padding=1,
                                padding_mode="reflect")
        self.norms = nn.ModuleList(nn.InstanceNorm2d(width, affine=True)
                                   for _ in range(2))

    def forward(self, x):
        y = functional.relu(self.norms[0](self.first(x)))
        return x + self.norms[1](self.second(y))


class Style(nn.Module):
    def __init__(self):
        super().__init__()
        pad = {"padding_mode": "reflect"}

        def norm(width):
            return [nn.InstanceNorm2d(width, affine=True), nn.ReLU()]

        self.layers = nn.Sequential(
            nn.Conv2d(3, 32, 9, padding=4, **pad), *norm(32),
            nn.Conv2d(32, 64, 3, 2, padding=1, **pad), *norm(64),
            nn.Conv2d(64, 128, 3, 2, padding=1, **pad), *norm(128),
            *(Residual(128) for _ in range(2)),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(128, 64, 3, padding=1, **pad), *norm(64),
            nn.Upsample(scale_factor=2),
            nn.Conv2d(64, 32, 3, padding=1, **pad), *norm(32),
            nn.Conv2d(32, 3, 9, padding=4, **pad))

    def forward(self, images):
        return self.layers(images)


class Tagger(nn.Module):
    def __init__(self, words=1000, width=128, tags=20):
        super().__init__()
        self.embedding = nn.Embedding(words, width)
        self.layers = nn.LSTM(width, width, num_layers=2, bidirectional=True,
                              batch_first=True)
        self.head = nn.Linear(2 * width, tags)

    def forward(self, ids):
        return self.head(self.layers(self.embedding(ids))[0])
