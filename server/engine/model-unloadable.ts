/** The model is not there or not what it should be; trying again does not help. */
export class ModelUnloadable extends Error {
  override readonly name: string = 'ModelUnloadable';
  /** For people; holds no paths. */
  readonly reason: string;

  constructor(reason: string, message: string) {
    super(message);
    this.reason = reason;
  }
}
