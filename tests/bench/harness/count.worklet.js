/** Says when so many seconds have been heard. */
class Count extends AudioWorkletProcessor {
  constructor({ processorOptions }) {
    super();
    this.left = processorOptions.seconds * sampleRate;
  }

  process([input]) {
    this.left -= input[0]?.length ?? 0;
    if (this.left > 0) return true;
    this.port.postMessage(null);
    return false;
  }
}

registerProcessor('count', Count);
