import type { HttpClient, HttpRequest } from './http-client.ts';
import { wrongAnswerError } from './http-errors.ts';

/** Asks for JSON; what comes is the caller's to judge. Throws as `send`, or `http-answer-wrong`. */
export async function getJson(http: HttpClient, request: HttpRequest): Promise<unknown> {
  const { bytes } = await http.send({ ...request, method: 'GET' });
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch (error) {
    throw wrongAnswerError({ method: 'GET', url: request.address }, 'Answer is not JSON', error);
  }
}
