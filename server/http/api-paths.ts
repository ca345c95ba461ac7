/** Under these everything answers in JSON, errors too: our own calls, and OpenAI's. */
const API_PREFIXES = ['/api/', '/v1/'];

/** Whether a route, as it was added, is one of the API's. */
export function isApiRoute(route: string | undefined): route is string {
  return route !== undefined && API_PREFIXES.some((prefix) => route.startsWith(prefix));
}

/** Whether an address, as written, is the API's: decides how an error looks, and nothing else. */
export function isApiPath(url: string): boolean {
  return API_PREFIXES.some((prefix) => isUnder(url, prefix));
}

/** Whether it is one of those in OpenAI's form, and so are its errors. */
export function isOpenAiPath(url: string): boolean {
  return isUnder(url, '/v1/');
}

function isUnder(url: string, prefix: string): boolean {
  const bare = prefix.slice(0, -1);
  return url.startsWith(prefix) || url === bare || url.startsWith(`${bare}?`);
}
