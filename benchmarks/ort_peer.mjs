// ONNX Runtime as a measured peer: one model, one process, told over stdin.
//
//   node ort_peer.mjs PEERS MODEL THREADS MANIFEST
//
// MANIFEST is JSON: inputs and outputs as {name, type, dims, file}, raw elements
// in the files. After `ready` each line `run N` is answered by the shortest of N
// runs in milliseconds, and `write` by `written` once the outputs are in files.
import fs from 'node:fs';
import {createRequire} from 'node:module';
import readline from 'node:readline';

const [peers, model, threads, manifestPath] = process.argv.slice(2);
const ort = createRequire(peers + '/')('onnxruntime-node');
const manifest = JSON.parse(fs.readFileSync(manifestPath, 'utf8'));

const arrays = {
  float32: Float32Array, float64: Float64Array, int8: Int8Array,
  int16: Int16Array, int32: Int32Array, int64: BigInt64Array,
  uint8: Uint8Array, uint16: Uint16Array, uint32: Uint32Array,
  uint64: BigUint64Array, bool: Uint8Array,
};

const feeds = {};
for (const {name, type, dims, file} of manifest.inputs) {
  const bytes = fs.readFileSync(file);
  const data = new arrays[type](bytes.buffer.slice(
      bytes.byteOffset, bytes.byteOffset + bytes.length));
  feeds[name] = new ort.Tensor(type, data, dims);
}

const session = await ort.InferenceSession.create(model, {
  intraOpNumThreads: Number(threads),
  interOpNumThreads: 1,
  executionMode: 'sequential',
  graphOptimizationLevel: 'all',
});
console.log('ready');

for await (const line of readline.createInterface({input: process.stdin})) {
  const [verb, count] = line.split(' ');
  if (verb === 'run') {
    let best = Infinity;
    for (let i = 0; i < Number(count); ++i) {
      const start = process.hrtime.bigint();
      await session.run(feeds);
      best = Math.min(best, Number(process.hrtime.bigint() - start) / 1e6);
    }
    console.log(best);
  } else if (verb === 'write') {
    const results = await session.run(feeds);
    for (const {name, file} of manifest.outputs) {
      const {data} = results[name];
      fs.writeFileSync(
          file, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    }
    console.log('written');
  }
}
