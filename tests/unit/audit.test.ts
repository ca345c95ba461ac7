import { expect, test } from 'vitest';
import { readAudit } from '../../tools/packages.ts';

const found = (severities: Record<string, string>): string =>
  JSON.stringify({
    auditReportVersion: 2,
    vulnerabilities: Object.fromEntries(
      Object.entries(severities).map(([name, severity]) => [name, { name, severity }]),
    ),
  });

test('nothing known, or nothing that is high: clean', () => {
  expect(readAudit(found({}))).toEqual({ kind: 'clean' });
  expect(readAudit(found({ one: 'low', two: 'moderate' }))).toEqual({ kind: 'clean' });
});

test('what is high or critical is named', () => {
  const packages = ['one (high)', 'two (critical)'];
  const severities = { one: 'high', two: 'critical', three: 'low' };
  expect(readAudit(found(severities))).toEqual({ kind: 'vulnerable', packages });
});

test.each([
  [
    JSON.stringify({ message: '405 Method Not Allowed', statusCode: 405 }),
    '405 Method Not Allowed',
  ],
  ['', 'npm audit gave no answer'],
  ['npm error', 'npm audit gave no answer'],
])('a registry that does not answer is no clean bill: %j', (text, why) => {
  expect(readAudit(text)).toEqual({ kind: 'unanswered', why });
});
