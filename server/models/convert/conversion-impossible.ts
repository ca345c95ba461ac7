/** A model is built otherwise than we can cut; `message` is for people and holds no paths. */
export class ConversionImpossible extends Error {
  override readonly name: string = 'ConversionImpossible';
}
