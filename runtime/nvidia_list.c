/* The work of a run. Host code adds items; they start as a list when the host
 * must wait, when the list is long, and at the end of the run. A list that the
 * context has as a graph starts with one call of the driver.
 *
 * The memory of a list grows and is used again, so a run allocates only if its
 * list is longer than all before. */
#include <stdlib.h>
#include <string.h>

#include "nvidia.h"

enum {
  FIRST_ROOM = 64,
  /* A launch of a graph costs more than one or two launches of kernels. */
  LEAST_ITEMS = 3,
  MOST_ITEMS = 1024,
  /* A window of work, by low rates of a small GPU. The host is at most two
   * windows and two lists ahead of the device, so that a run that is cancelled
   * ends soon. */
  WINDOW_NANOSECONDS = 10000000
};

/* A list of that much work starts although it is not whole. Where it ends
 * depends on sizes, so it would seldom be like one before; its items are long
 * enough to be started one by one. */
static int is_cut(const tenon_gpu_list *list) {
  return list->time >= WINDOW_NANOSECONDS;
}

static void clear(tenon_gpu_list *list) {
  list->count = list->num_arguments = 0;
  list->hash = 0;
  list->time = 0;
}

void tenon_gpu_free_list(tenon_gpu_list *list) {
  free(list->items);
  free(list->arguments);
  *list = (tenon_gpu_list){0};
}

/* Makes room for `needed` elements in all. Returns 0 if memory is out. */
static int make_room(void **memory, int32_t *room, int32_t needed,
                     size_t element) {
  if (needed <= *room)
    return 1;
  int32_t more = *room ? *room : FIRST_ROOM;
  while (more < needed)
    more *= 2;
  void *grown = realloc(*memory, (size_t)more * element);
  if (!grown)
    return 0;
  *memory = grown;
  *room = more;
  return 1;
}

/* Neither is null afterwards. */
static int reserve(tenon_gpu_list *list, int32_t items, int32_t arguments) {
  return make_room((void **)&list->items, &list->room, items,
                   sizeof *list->items) &&
         make_room((void **)&list->arguments, &list->argument_room,
                   arguments + 1, sizeof *list->arguments);
}

int tenon_gpu_copy_list(tenon_gpu_list *to, const tenon_gpu_list *from) {
  if (!reserve(to, from->count, from->num_arguments))
    return 0;
  memcpy(to->items, from->items, (size_t)from->count * sizeof *to->items);
  memcpy(to->arguments, from->arguments,
         (size_t)from->num_arguments * sizeof *to->arguments);
  to->count = from->count;
  to->num_arguments = from->num_arguments;
  to->hash = from->hash;
  return 1;
}

int32_t tenon_gpu_count_arguments(const tenon_gpu *gpu,
                                  const tenon_gpu_item *item) {
  return item->kind == TENON_GPU_KERNEL
             ? gpu->desc->kernels[item->kernel].num_parameters
             : 0;
}

void **tenon_gpu_point_to(tenon_context *context, const tenon_gpu_item *item,
                          const uint64_t *arguments) {
  void **parameters = context->gpu->parameters;
  int32_t count = tenon_gpu_count_arguments(context->model->gpu, item);
  for (int32_t i = 0; i < count; ++i)
    parameters[i] = (void *)&arguments[i];
  return parameters;
}

static tenon_status start_kernel(tenon_context *context,
                                 const tenon_gpu_item *item,
                                 const uint64_t *arguments, tenon_text *text) {
  tenon_gpu *gpu = context->model->gpu;
  const tenon_device_kernel_desc *desc = &gpu->desc->kernels[item->kernel];
  return TENON_GPU_CALL(gpu, text, desc->name, cuLaunchKernel,
                        gpu->kernels[item->kernel], item->blocks, 1, 1,
                        (unsigned)desc->threads, 1, 1,
                        (unsigned)desc->shared_bytes, context->gpu->stream,
                        tenon_gpu_point_to(context, item, arguments), NULL);
}

static tenon_status start(tenon_context *context, const tenon_gpu_item *item,
                          const uint64_t *arguments, tenon_text *text) {
  tenon_gpu *gpu = context->model->gpu;
  nv_stream stream = context->gpu->stream;
  switch (item->kind) {
  case TENON_GPU_KERNEL:
    return start_kernel(context, item, arguments, text);
  case TENON_GPU_COPY:
    return TENON_GPU_CALL(gpu, text, "a copy", cuMemcpyDtoDAsync, item->to,
                          item->from, item->bytes, stream);
  case TENON_GPU_WRITE:
    return TENON_GPU_CALL(gpu, text, "a write", cuMemcpyHtoDAsync, item->to,
                          (const void *)(uintptr_t)item->from, item->bytes,
                          stream);
  case TENON_GPU_FILL_BYTE:
    return TENON_GPU_CALL(gpu, text, "a write", cuMemsetD8Async, item->to,
                          (unsigned char)item->value, 1, stream);
  case TENON_GPU_FILL_WORD:
    break;
  }
  return TENON_GPU_CALL(gpu, text, "a write", cuMemsetD32Async, item->to,
                        item->value, 1, stream);
}

static tenon_status start_all(tenon_context *context, tenon_text *text) {
  const tenon_gpu_list *list = &context->gpu->list;
  tenon_status status = TENON_OK;
  for (int32_t i = 0; status == TENON_OK && i < list->count; ++i)
    status = start(context, &list->items[i],
                   list->arguments + list->items[i].first_argument, text);
  return status;
}

/* Counts work that has started. At the end of a window the host waits for the
 * end of the one before. */
static tenon_status pass_time(tenon_context *context, int64_t time,
                              tenon_text *text) {
  tenon_gpu *gpu = context->model->gpu;
  tenon_gpu_context *side = context->gpu;
  side->window += time;
  if (side->window < WINDOW_NANOSECONDS)
    return TENON_OK;
  int32_t mark = side->next_mark, oldest = (mark + 1) % TENON_GPU_MARKS;
  tenon_status status = TENON_GPU_CALL(gpu, text, "a mark", cuEventRecord,
                                       side->marks[mark], side->stream);
  if (status != TENON_OK)
    return status;
  side->is_marked[mark] = 1;
  side->next_mark = oldest;
  side->window = 0;
  return !side->is_marked[oldest]
             ? TENON_OK
             : TENON_GPU_CALL(gpu, text, "the kernels", cuEventSynchronize,
                              side->marks[oldest]);
}

void tenon_gpu_begin_list(tenon_context *context, int is_profiled) {
  tenon_gpu_context *side = context->gpu;
  clear(&side->list);
  side->is_listing = context->model->gpu->driver.has_graphs &&
                     !side->has_no_graphs && !is_profiled;
}

void tenon_gpu_drop_list(tenon_context *context) { clear(&context->gpu->list); }

tenon_status tenon_gpu_submit(tenon_context *context, tenon_text *text) {
  tenon_gpu_context *side = context->gpu;
  tenon_gpu_list *list = &side->list;
  if (list->count == 0)
    return TENON_OK;
  tenon_gpu_graph *graph = NULL;
  if (list->count >= LEAST_ITEMS && !is_cut(list))
    graph = tenon_gpu_graph_of(context);
  tenon_status status =
      graph ? TENON_GPU_CALL(context->model->gpu, text, "the kernels",
                             cuGraphLaunch, graph->exec, side->stream)
            : start_all(context, text);
  if (status == TENON_OK)
    status = pass_time(context, list->time, text);
  clear(list);
  return status;
}

tenon_status tenon_gpu_add(tenon_context *context, tenon_gpu_item item,
                           const uint64_t *arguments, int64_t time) {
  tenon_gpu_context *side = context->gpu;
  tenon_gpu_list *list = &side->list;
  tenon_text *text = &context->text;
  if (!side->is_listing) {
    tenon_status status = start(context, &item, arguments, text);
    return status == TENON_OK ? pass_time(context, time, text) : status;
  }
  int32_t count = tenon_gpu_count_arguments(context->model->gpu, &item);
  if (!reserve(list, list->count + 1, list->num_arguments + count)) {
    tenon_text_add(text, "out of memory: the run has %d launches and copies",
                   list->count + 1);
    return TENON_LIMIT;
  }
  item.first_argument = list->num_arguments;
  if (count > 0)
    memcpy(list->arguments + list->num_arguments, arguments,
           (size_t)count * sizeof *arguments);
  list->items[list->count++] = item;
  list->num_arguments += count;
  uint64_t what = (uint64_t)(uint32_t)item.kernel << 8 | (uint64_t)item.kind;
  list->hash = (list->hash ^ what) * UINT64_C(0x9e3779b97f4a7c15);
  list->hash ^= list->hash >> 29;
  list->time += time;
  return list->count == MOST_ITEMS || is_cut(list)
             ? tenon_gpu_submit(context, text)
             : TENON_OK;
}
