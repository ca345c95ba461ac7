import { runVad } from './run-vad.ts';

process.exitCode = await runVad(process.argv.slice(2), {
  print: (text) => process.stdout.write(`${text}\n`),
  complain: (text) => process.stderr.write(`${text}\n`),
});
