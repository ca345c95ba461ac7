/** Posts 96 ms of sound at a time, as many samples as a frame of ours is made of. */
class PostBlocks extends AudioWorkletProcessor {
  constructor() {
    super();
    this.block = new Float32Array(Math.round(sampleRate * 0.096));
    this.filled = 0;
  }

  process([input]) {
    const channel = input[0];
    if (!channel) return true;
    for (let at = 0; at < channel.length; ) {
      const count = Math.min(channel.length - at, this.block.length - this.filled);
      this.block.set(channel.subarray(at, at + count), this.filled);
      this.filled += count;
      at += count;
      if (this.filled < this.block.length) continue;
      this.port.postMessage(this.block, [this.block.buffer]);
      this.block = new Float32Array(Math.round(sampleRate * 0.096));
      this.filled = 0;
    }
    return true;
  }
}

registerProcessor('post-blocks', PostBlocks);
