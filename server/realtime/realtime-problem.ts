/** Something a client sent that cannot be done; the connection goes on. */
export class RealtimeProblem extends Error {
  override readonly name = 'RealtimeProblem';
  readonly code: string;

  constructor(code: string, message: string) {
    super(message);
    this.code = code;
  }
}
