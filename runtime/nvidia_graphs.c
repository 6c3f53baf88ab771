/* Lists of work as graphs of the driver. A list is like another one if it has
 * the same kernels, copies and fills in the same order. A list that comes again
 * becomes a graph. From then on lists like it set the parameters that differ,
 * and start with one call.
 *
 * A graph is only a faster way to start a list. If the driver does not make or
 * change one, the list starts item by item. */
#include <stdlib.h>
#include <string.h>

#include "nvidia.h"

static nv_kernel_node kernel_node(tenon_context *context,
                                  const tenon_gpu_item *item,
                                  const uint64_t *arguments) {
  const tenon_gpu *gpu = context->model->gpu;
  const tenon_device_kernel_desc *desc = &gpu->desc->kernels[item->kernel];
  return (nv_kernel_node){.function = gpu->kernels[item->kernel],
                          .grid = {item->blocks, 1, 1},
                          .block = {(unsigned)desc->threads, 1, 1},
                          .shared_bytes = (unsigned)desc->shared_bytes,
                          .parameters =
                              tenon_gpu_point_to(context, item, arguments)};
}

static nv_copy_node copy_node(const tenon_gpu_item *item) {
  nv_copy_node node = {.from = {.memory = NV_MEMORY_DEVICE},
                       .to = {.memory = NV_MEMORY_DEVICE, .device = item->to},
                       .bytes = item->bytes,
                       .height = 1,
                       .depth = 1};
  if (item->kind == TENON_GPU_WRITE) {
    node.from.memory = NV_MEMORY_HOST;
    node.from.host = (const void *)(uintptr_t)item->from;
  } else {
    node.from.device = item->from;
  }
  return node;
}

static nv_fill_node fill_node(const tenon_gpu_item *item) {
  return (nv_fill_node){
      .to = item->to,
      .value = item->value,
      .element_bytes = item->kind == TENON_GPU_FILL_BYTE ? 1 : sizeof(uint32_t),
      .width = 1,
      .height = 1};
}

/* Adds the node of item i after that of item i - 1. */
static nv_result add_node(tenon_context *context, tenon_gpu_graph *graph,
                          int32_t i) {
  const tenon_gpu *gpu = context->model->gpu;
  const tenon_nvidia_driver *driver = &gpu->driver;
  const tenon_gpu_item *item = &graph->list.items[i];
  nv_graph_node *node = &graph->nodes[i];
  const nv_graph_node *after = i > 0 ? node - 1 : NULL;
  if (item->kind == TENON_GPU_KERNEL) {
    nv_kernel_node kernel = kernel_node(
        context, item, graph->list.arguments + item->first_argument);
    return driver->cuGraphAddKernelNode(node, graph->graph, after, i > 0,
                                        &kernel);
  }
  if (item->kind == TENON_GPU_COPY || item->kind == TENON_GPU_WRITE) {
    nv_copy_node copy = copy_node(item);
    return driver->cuGraphAddMemcpyNode(node, graph->graph, after, i > 0, &copy,
                                        gpu->context);
  }
  nv_fill_node fill = fill_node(item);
  return driver->cuGraphAddMemsetNode(node, graph->graph, after, i > 0, &fill,
                                      gpu->context);
}

/* Gives the node of item i the parameters of `item`. */
static nv_result set_node(tenon_context *context, const tenon_gpu_graph *graph,
                          int32_t i, const tenon_gpu_item *item,
                          const uint64_t *arguments) {
  const tenon_gpu *gpu = context->model->gpu;
  const tenon_nvidia_driver *driver = &gpu->driver;
  if (item->kind == TENON_GPU_KERNEL) {
    nv_kernel_node kernel = kernel_node(context, item, arguments);
    return driver->cuGraphExecKernelNodeSetParams(graph->exec, graph->nodes[i],
                                                  &kernel);
  }
  if (item->kind == TENON_GPU_COPY || item->kind == TENON_GPU_WRITE) {
    nv_copy_node copy = copy_node(item);
    return driver->cuGraphExecMemcpyNodeSetParams(graph->exec, graph->nodes[i],
                                                  &copy, gpu->context);
  }
  nv_fill_node fill = fill_node(item);
  return driver->cuGraphExecMemsetNodeSetParams(graph->exec, graph->nodes[i],
                                                &fill, gpu->context);
}

/* Frees what the driver has; the memory of the list is used again. */
static void destroy(const tenon_gpu *gpu, tenon_gpu_graph *graph) {
  if (graph->exec)
    (void)gpu->driver.cuGraphExecDestroy(graph->exec);
  if (graph->graph)
    (void)gpu->driver.cuGraphDestroy(graph->graph);
  graph->exec = NULL;
  graph->graph = NULL;
}

/* As destroy, for a graph that may be at work. What is in the passage stays:
 * the list reads it. */
static void finish_and_destroy(tenon_context *context, tenon_gpu_graph *graph) {
  const tenon_gpu *gpu = context->model->gpu;
  nv_stream stream = context->gpu->stream;
  if (graph->exec && gpu->driver.cuStreamSynchronize(stream) != NV_SUCCESS)
    (void)gpu->driver.cuStreamSynchronize(stream);
  destroy(gpu, graph);
}

void tenon_gpu_destroy_graphs(tenon_context *context) {
  for (int i = 0; i < TENON_GPU_GRAPHS; ++i)
    destroy(context->model->gpu, &context->gpu->graphs[i]);
}

void tenon_gpu_free_graphs(tenon_context *context) {
  for (int i = 0; i < TENON_GPU_GRAPHS; ++i) {
    tenon_gpu_free_list(&context->gpu->graphs[i].list);
    free(context->gpu->graphs[i].nodes);
  }
}

static int make_nodes(tenon_gpu_graph *graph, int32_t count) {
  if (count <= graph->node_room)
    return 1;
  free(graph->nodes);
  graph->nodes = malloc((size_t)count * sizeof *graph->nodes);
  graph->node_room = graph->nodes ? count : 0;
  return graph->nodes != NULL;
}

/* Makes the graph of the list. Returns 0 if that fails. */
static int make(tenon_context *context, tenon_gpu_graph *graph) {
  const tenon_gpu *gpu = context->model->gpu;
  const tenon_gpu_list *list = &context->gpu->list;
  if (!make_nodes(graph, list->count) ||
      !tenon_gpu_copy_list(&graph->list, list))
    return 0;
  nv_result result = gpu->driver.cuGraphCreate(&graph->graph, 0);
  if (result != NV_SUCCESS)
    graph->graph = NULL;
  for (int32_t i = 0; result == NV_SUCCESS && i < list->count; ++i)
    result = add_node(context, graph, i);
  if (result == NV_SUCCESS)
    result =
        gpu->driver.cuGraphInstantiateWithFlags(&graph->exec, graph->graph, 0);
  if (result == NV_SUCCESS)
    return 1;
  graph->exec = NULL;
  destroy(gpu, graph);
  return 0;
}

static int is_like(const tenon_gpu_list *a, const tenon_gpu_list *b) {
  if (a->hash != b->hash || a->count != b->count)
    return 0;
  for (int32_t i = 0; i < a->count; ++i)
    if (a->items[i].kind != b->items[i].kind ||
        a->items[i].kernel != b->items[i].kernel)
      return 0;
  return 1;
}

/* Gives the nodes the parameters of the list. Returns 0 if the driver refuses
 * one. */
static int update(tenon_context *context, tenon_gpu_graph *graph) {
  const tenon_gpu_list *list = &context->gpu->list;
  for (int32_t i = 0; i < list->count; ++i) {
    const tenon_gpu_item *item = &list->items[i];
    const uint64_t *arguments = list->arguments + item->first_argument;
    tenon_gpu_item *old = &graph->list.items[i];
    uint64_t *old_arguments = graph->list.arguments + old->first_argument;
    size_t bytes =
        (size_t)tenon_gpu_count_arguments(context->model->gpu, item) *
        sizeof *arguments;
    if (old->blocks == item->blocks && old->value == item->value &&
        old->to == item->to && old->from == item->from &&
        old->bytes == item->bytes &&
        memcmp(old_arguments, arguments, bytes) == 0)
      continue;
    if (set_node(context, graph, i, item, arguments) != NV_SUCCESS)
      return 0;
    *old = *item;
    memcpy(old_arguments, arguments, bytes);
  }
  return 1;
}

/* Notes that the list came. Returns the number of the list like it before, or 0
 * if that is not known. */
static uint64_t note_sighting(tenon_gpu_context *side) {
  tenon_gpu_sighting *oldest = &side->sightings[0];
  for (int i = 0; i < TENON_GPU_SIGHTINGS; ++i) {
    tenon_gpu_sighting *sighting = &side->sightings[i];
    if (sighting->when > 0 && sighting->hash == side->list.hash) {
      uint64_t before = sighting->when;
      sighting->when = side->lists;
      return before;
    }
    if (sighting->when < oldest->when)
      oldest = sighting;
  }
  *oldest = (tenon_gpu_sighting){side->list.hash, side->lists};
  return 0;
}

tenon_gpu_graph *tenon_gpu_graph_of(tenon_context *context) {
  tenon_gpu_context *side = context->gpu;
  tenon_gpu_graph *oldest = &side->graphs[0];
  ++side->lists;
  for (int i = 0; i < TENON_GPU_GRAPHS; ++i) {
    tenon_gpu_graph *graph = &side->graphs[i];
    if (graph->exec && is_like(&graph->list, &side->list)) {
      graph->used = side->lists;
      if (update(context, graph))
        return graph;
      finish_and_destroy(context, graph);
      return NULL;
    }
    if (!graph->exec ? oldest->exec != NULL
                     : oldest->exec && graph->used < oldest->used)
      oldest = graph;
  }
  /* A graph in use stays: if more lists than graphs take turns, the first ones
   * are graphs and none is made again and again. */
  uint64_t before = note_sighting(side);
  if (before == 0 || (oldest->exec && oldest->used > before))
    return NULL;
  finish_and_destroy(context, oldest);
  if (!make(context, oldest)) {
    side->has_no_graphs = 1;
    return NULL;
  }
  oldest->used = side->lists;
  return oldest;
}
