import { describe, expect, test } from 'vitest';
import { type CommandOptions, carryOutCommands } from '../../src/core/text/spoken-commands.ts';
import { expectLinear } from '../helpers/expect-linear.ts';

const ALL: CommandOptions = { structure: true, marks: true, control: true };
const STRUCTURE: CommandOptions = { structure: true, marks: false, control: false };
const NONE: CommandOptions = { structure: false, marks: false, control: false };

/** The second text is left out where nothing may change. */
type Case = readonly [heard: string, written?: string];

const SWEDISH_STRUCTURE: readonly Case[] = [
  ['Patienten mår bra. Ny rad. Hon sover.', 'Patienten mår bra.\nHon sover.'],
  ['Patienten mår bra. Nytt stycke. Hon sover.', 'Patienten mår bra.\n\nHon sover.'],
  ['Patienten mår bra, ny rad, hon sover.', 'Patienten mår bra\nhon sover.'],
  ['Patienten mår bra, nytt stycke, hon sover.', 'Patienten mår bra\n\nHon sover.'],
  ['Patienten mår bra. Ny rad, hon sover.', 'Patienten mår bra.\nHon sover.'],
  ['Patienten mår bra; ny rad; hon sover.', 'Patienten mår bra\nhon sover.'],
  ['Mår du bra? Ny rad. Ja.', 'Mår du bra?\nJa.'],
  ['Bra! Nytt stycke. Ja.', 'Bra!\n\nJa.'],
  ['Handla: ny rad, mjölk, ny rad, bröd.', 'Handla:\nMjölk\nbröd.'],
  ['Mjölk. Ny rad. Bröd. Ny rad. Smör.', 'Mjölk.\nBröd.\nSmör.'],
  ['mjölk ny rad bröd ny rad smör', 'mjölk\nbröd\nsmör'],
  ['patienten mår bra nytt stycke hon sover gott', 'patienten mår bra\n\nHon sover gott'],
  ['Ny rad.', '\n'],
  ['Nytt stycke.', '\n\n'],
  ['ny rad', '\n'],
  ['Nytt stycke', '\n\n'],
  ['Ny rad. Hon sover.', '\nHon sover.'],
  ['Nytt stycke, hon sover.', '\n\nHon sover.'],
  ['Hon sover. Ny rad.', 'Hon sover.\n'],
  ['Hon sover, ny rad.', 'Hon sover\n'],
  ['Hon sover. Nytt stycke', 'Hon sover.\n\n'],
  ['Hon sover. Ny rad Han äter.', 'Hon sover.\nHan äter.'],
  ['Hon sover. Nytt stycke Anna äter.', 'Hon sover.\n\nAnna äter.'],
  ['Hon sover. Ny rad. Ny rad. Han äter.', 'Hon sover.\n\nHan äter.'],
  ['Hon sover. Ny rad ny rad. Han äter.', 'Hon sover.\n\nHan äter.'],
  ['Hon sover. Radbrytning. Han äter.', 'Hon sover.\nHan äter.'],
  ['NY RAD. Hon sover.', '\nHon sover.'],
  ['Hon sa ”ja”. Ny rad. Hon sover.', 'Hon sa ”ja”.\nHon sover.'],
  ['Hon sover (gott). Ny rad. Han äter.', 'Hon sover (gott).\nHan äter.'],
  ['Ordagrant ny rad.', 'Ny rad.'],
  ['Skriv ordagrant ny rad i tabellen.', 'Skriv ny rad i tabellen.'],
  // It is spoken of.
  ['Det är en ny rad i tabellen.'],
  ['Varje ny rad kostar tid.'],
  ['Lägg till en ny rad.'],
  ['Vi behöver ett nytt stycke.'],
  ['Hon skrev ett nytt stycke, och sedan sov hon.'],
  ['Ny rad på rad.'],
  ['Vi fick en ny rad, och en gammal.'],
  ['Då börjar ny rad efter kommat'],
  ['det är en ny rad i tabellen'],
  ['På ny rad står namnet.'],
  ['Han skrev nytt stycke för stycke.'],
  ['Ny radio till salu.'],
  ['En helt ny rad av problem.'],
  ['Patienten mår bra.'],
  ['Hon har nya rader.'],
  ['Ordagrant återgivet.'],
  // Marks are words there.
  ['Hon sover. Punkt. Han äter.'],
  ['Hon sover, komma, men vaknar.'],
  ['Mår du bra, frågetecken.'],
];

const SWEDISH_MARKS: readonly Case[] = [
  ['Hej Anna komma ny rad tack för ditt mejl punkt ny rad', 'Hej Anna,\ntack för ditt mejl.\n'],
  ['kan du skicka rapporten frågetecken', 'kan du skicka rapporten?'],
  ['Hon sover. Har du ringt henne frågetecken', 'Hon sover. Har du ringt henne?'],
  ['Har du sett ett frågetecken'],
  ['Vi behöver version två punkt fyra.'],
  ['Hon sa komma hem ny rad för rad.'],
  ['Patienten mår bra. Punkt. Hon sover.', 'Patienten mår bra. Hon sover.'],
  ['Patienten mår bra, punkt. Hon sover.', 'Patienten mår bra. Hon sover.'],
  ['Patienten mår bra, punkt, hon sover.', 'Patienten mår bra. Hon sover.'],
  ['Patienten mår bra punkt.', 'Patienten mår bra.'],
  ['patienten mår bra punkt hon sover gott punkt', 'patienten mår bra. Hon sover gott.'],
  ['Hon sover gott, komma, men vaknar.', 'Hon sover gott, men vaknar.'],
  ['Hon sover gott. Komma. Men vaknar.', 'Hon sover gott, men vaknar.'],
  ['Hon sover gott, komma, Anna vaknar.', 'Hon sover gott, Anna vaknar.'],
  ['Hon sover gott. Komma. Anna vaknar.', 'Hon sover gott, Anna vaknar.'],
  ['Mår du bra, frågetecken.', 'Mår du bra?'],
  ['Mår du bra. Frågetecken. Ja.', 'Mår du bra? Ja.'],
  ['Mår du bra? Frågetecken. Ja.', 'Mår du bra? Ja.'],
  ['Mår du bra frågetecken', 'Mår du bra?'],
  ['mår du bra frågetecken ja det gör jag', 'mår du bra? Ja det gör jag'],
  ['Stopp, utropstecken.', 'Stopp!'],
  ['Stopp utropstecken.', 'Stopp!'],
  ['Stopp. Utropstecken. Vänta.', 'Stopp! Vänta.'],
  ['Bedömning, kolon, frisk.', 'Bedömning: frisk.'],
  ['Bedömning. Kolon. Frisk.', 'Bedömning: frisk.'],
  ['Hon sover, semikolon, han äter.', 'Hon sover; han äter.'],
  ['hon sover gott semikolon han äter', 'hon sover gott; han äter'],
  ['Hon kom, tankstreck, till slut.', 'Hon kom – till slut.'],
  ['Hon kom. Tankstreck. Till slut.', 'Hon kom – till slut.'],
  ['Alvedon, parentes, vid behov, slut parentes, varje dag.', 'Alvedon (vid behov) varje dag.'],
  ['Alvedon parentes vid behov slut parentes varje dag.', 'Alvedon (vid behov) varje dag.'],
  ['Alvedon. Parentes. Vid behov. Slut parentes. Varje dag.', 'Alvedon. (Vid behov). Varje dag.'],
  ['Alvedon parentes vid behov parentes slut.', 'Alvedon (vid behov).'],
  ['Alvedon vänsterparentes vid behov högerparentes varje dag.', 'Alvedon (vid behov) varje dag.'],
  ['Hon sa citat jag mår bra slut citat.', 'Hon sa ”jag mår bra”.'],
  ['Hon sa, citat, jag mår bra, slut citat, och gick.', 'Hon sa ”jag mår bra” och gick.'],
  ['Hon sa, citat, ja, slut citat, ny rad, han gick.', 'Hon sa ”ja”\nhan gick.'],
  ['Jag träffade versal sjöqvist i går.', 'Jag träffade Sjöqvist i går.'],
  ['Jag träffade, versal, sjöqvist.', 'Jag träffade Sjöqvist.'],
  ['Versal alvedon hjälper.', 'Alvedon hjälper.'],
  ['Jag tog stor bokstav alvedon.', 'Jag tog Alvedon.'],
  ['Punkt.', '.'],
  ['Frågetecken.', '?'],
  ['Komma.', ','],
  ['Punkt. Ny rad. Hon sover.', '.\nHon sover.'],
  ['Hon sover. Punkt. Ny rad. Han äter.', 'Hon sover.\nHan äter.'],
  ['hon sover punkt ny rad han äter', 'hon sover.\nHan äter'],
  ['Hon sover, punkt, nytt stycke, han äter, punkt.', 'Hon sover.\n\nHan äter.'],
  ['Ordagrant punkt.', 'Punkt.'],
  ['Skriv ordagrant punkt här.', 'Skriv punkt här.'],
  ['Hon skrev ordagrant komma, punkt.', 'Hon skrev komma.'],
  ['Hon sa ordagrant frågetecken', 'Hon sa frågetecken'],
  // It is spoken of, or another word.
  ['Sätt punkt för det.'],
  ['Vi måste sätta punkt.'],
  ['Nu sätter vi punkt här.'],
  ['Det är en punkt på listan.'],
  ['Till punkt och pricka.'],
  ['På denna punkt är vi överens.'],
  ['I en svår punkt.'],
  ['Första punkt.'],
  ['Punkt 3 gäller alla.'],
  ['Punkt tre gäller alla.'],
  ['Se punkt 4.'],
  ['Hon har en öm punkt.'],
  ['Vi kan komma i morgon.'],
  ['Jag ska komma, sa hon.'],
  ['Hon vill komma hem.'],
  ['Att komma, se och segra.'],
  ['Hon kan komma att sova.'],
  ['hon ska komma och han ska gå'],
  ['Det sätter ett frågetecken för planen.'],
  ['Det är ett stort frågetecken.'],
  ['det finns ännu vissa frågetecken rörande planen'],
  ['Hon ritade ett utropstecken.'],
  ['Kolon ascendens är normal.'],
  ['Undersökning av kolon visar inget.'],
  ['Tumör i kolon.'],
  ['Kolon: utan anmärkning.'],
  ['Kolon, utan anmärkning.'],
  ['Hon har ont i kolon och rektum.'],
  ['Ett semikolon är ett tecken.'],
  ['Det var en parentes i historien.'],
  ['Hon satte det inom parentes.'],
  ['Parentes är ett ord.'],
  ['Det är ett citat av Strindberg.'],
  ['Här slutar citatet.'],
  ['Slut citat saknas.'],
  ['Skriv med versal i början.'],
  ['En versal är en stor bokstav.'],
  ['Med stor bokstav.'],
  ['Ett tankstreck är långt.'],
  ['Punkten är satt.'],
  ['Kommatecknet saknas.'],
  ['Tolv komma fem.'],
  ['Han är 12 komma 5 år.'],
  ['Semikolonet är ovanligt.'],
  ['Patienten mår bra. Hon sover, men vaknar.'],
];

const ENGLISH_STRUCTURE: readonly Case[] = [
  ['The patient is well. New line. She sleeps.', 'The patient is well.\nShe sleeps.'],
  ['The patient is well. New paragraph. She sleeps.', 'The patient is well.\n\nShe sleeps.'],
  ['The patient is well, new line, she sleeps.', 'The patient is well\nshe sleeps.'],
  ['The patient is well, new paragraph, she sleeps.', 'The patient is well\n\nShe sleeps.'],
  ['Is she well? New line. Yes.', 'Is she well?\nYes.'],
  ['milk new line bread new line butter', 'milk\nbread\nbutter'],
  ['the patient is well new paragraph she sleeps', 'the patient is well\n\nShe sleeps'],
  ['New line.', '\n'],
  ['New paragraph.', '\n\n'],
  ['new paragraph', '\n\n'],
  ['Newline. She sleeps.', '\nShe sleeps.'],
  ['She sleeps. New paragraph.', 'She sleeps.\n\n'],
  ['She sleeps. New line She wakes.', 'She sleeps.\nShe wakes.'],
  ['She sleeps. Line break. He eats.', 'She sleeps.\nHe eats.'],
  ['Literal new line.', 'New line.'],
  ['Type verbatim new paragraph here.', 'Type new paragraph here.'],
  ['We opened a new line of business.'],
  ['It is a new line.'],
  ['Start a new paragraph.'],
  ['The new paragraph, and the old one.'],
  ['They launched their new line, and it sold.'],
  ['New line of credit.'],
  ['Every new line costs time.'],
  ['New lines are long.'],
  ['a new line of products is here'],
  ['He drew another new line.'],
  ['She sleeps. Period. He eats.'],
  ['She sleeps, comma, but wakes.'],
  ['She has a newline character.'],
];

const ENGLISH_MARKS: readonly Case[] = [
  [
    'Hi Anna comma new line thanks for your email period new line',
    'Hi Anna,\nthanks for your email.\n',
  ],
  ['could you send me the report question mark', 'could you send me the report?'],
  ['Is that a question mark'],
  ['I saw the big question mark'],
  ['She is well. Period. He eats.', 'She is well. He eats.'],
  ['She is well, period, he eats.', 'She is well. He eats.'],
  ['She is well. Full stop. He eats.', 'She is well. He eats.'],
  ['She is well full stop.', 'She is well.'],
  ['she is well full stop he eats fish full stop', 'she is well. He eats fish.'],
  ['She sleeps, comma, but wakes.', 'She sleeps, but wakes.'],
  ['She sleeps. Comma. But wakes.', 'She sleeps, but wakes.'],
  ['She sleeps. Comma. Anna wakes.', 'She sleeps, Anna wakes.'],
  ['Are you well, question mark.', 'Are you well?'],
  ['Are you well question mark', 'Are you well?'],
  ['are you well question mark yes I am', 'are you well? Yes I am'],
  ['Are you well? Question mark. Yes.', 'Are you well? Yes.'],
  ['Stop, exclamation mark.', 'Stop!'],
  ['Stop. Exclamation point. Wait.', 'Stop! Wait.'],
  ['Assessment, colon, healthy.', 'Assessment: healthy.'],
  ['Assessment. Colon. Healthy.', 'Assessment: healthy.'],
  ['She sleeps, semicolon, he eats.', 'She sleeps; he eats.'],
  ['she sleeps well semicolon he eats', 'she sleeps well; he eats'],
  ['She came, dash, at last.', 'She came – at last.'],
  ['Fish open parenthesis if any close parenthesis every day.', 'Fish (if any) every day.'],
  ['Fish, open bracket, if any, close bracket, every day.', 'Fish (if any) every day.'],
  ['Fish open paren if any close paren.', 'Fish (if any).'],
  ['She said open quote go away close quote.', 'She said “go away”.'],
  ['She said, quote, go away, unquote.', 'She said “go away”.'],
  ['She said, quote, go away, end quote, and left.', 'She said “go away” and left.'],
  ['I met, cap, smith today.', 'I met Smith today.'],
  ['Cap smith is here.', 'Smith is here.'],
  ['Period.', '.'],
  ['Comma.', ','],
  ['Question mark.', '?'],
  ['She is well. Period. New line. He eats.', 'She is well.\nHe eats.'],
  ['Literal period.', 'Period.'],
  ['Write literal comma here.', 'Write comma here.'],
  ['She wrote verbatim question mark', 'She wrote question mark'],
  ['The comma splice is an error.'],
  ['Use a comma here.'],
  ['The period of time was long.'],
  ['She missed her period.'],
  ['A trial period, of course.'],
  ['Over a long period.'],
  ['It came to a full stop.'],
  ['The train came to a full stop, and we left.'],
  ['That is the question mark over it.'],
  ['There is a question mark.'],
  ['The colon is normal.'],
  ['Colon, normal. Rectum, normal.'],
  ['Cancer of the colon.'],
  ['Colon cancer is common.'],
  ['The descending colon, and the rectum.'],
  ['He made a dash for it.'],
  ['Add a dash of salt.'],
  ['A semicolon is a mark.'],
  ['Put it in an open bracket.'],
  ['I can quote him on that.'],
  ['He gave me a quote.'],
  ['He said, and I quote, go away.'],
  ['Put the cap on.'],
  ['Cap it at ten.'],
  ['A cap on spending.'],
  ['Capital gains are taxed.'],
  ['The capital letter is large.'],
  ['Literal meaning.'],
  ['The close bracket is missing.'],
  ['Periods are marks.'],
  ['comma splices are errors in English'],
  ['She has an exclamation mark tattoo.'],
];

const CONTROL: readonly (readonly [string, string, string | null])[] = [
  ['sv', 'Stryk det.', 'strike'],
  ['sv', 'stryk det', 'strike'],
  ['sv', 'Stryk det där!', 'strike'],
  ['sv', 'Ångra.', 'undo'],
  ['sv', 'Stoppa.', 'stop'],
  ['sv', 'Ångra det.', 'undo'],
  ['sv', 'Stoppa inspelningen.', 'stop'],
  ['en', 'Stop recording.', 'stop'],
  ['sv', 'Stoppa inspelningen i morgon.', null],
  ['en', 'Undo.', 'undo'],
  ['en', 'Please undo that.', null],
  ['en', 'Scratch that.', 'strike'],
  ['en-GB', 'Strike that.', 'strike'],
  ['en', 'Undo that.', 'undo'],
  ['en', 'Stop dictation.', 'stop'],
  ['sv', 'Stryk det från listan.', null],
  ['sv', 'Jag vill stryk det.', null],
  ['sv', 'Stoppa blödningen.', null],
  ['sv', 'Ångra aldrig.', null],
  ['sv', 'Ångra ingenting.', null],
  ['en', 'Scratch that itch.', null],
  ['en', 'Undo that mistake.', null],
  ['en', 'Stop dictation of letters.', null],
  ['en', 'Stop.', null],
];

/** Live pieces with more in them than what is wanted. */
const LAST: readonly (readonly [
  language: string,
  heard: string,
  left?: string,
  command?: string,
])[] = [
  ['sv', 'Alvedon tre gånger om dagen. Stryk det.', ''],
  ['sv', 'Hon sover. Alvedon tre gånger om dagen. Stryk det.', 'Hon sover.'],
  ['sv', 'Hon sover. Alvedon tre gånger om dagen. Stryk det', 'Hon sover.'],
  ['sv', 'Hon sover. Alvedon tre gånger om dagen. stryk det', 'Hon sover.'],
  ['sv', 'Hon sover. Han äter. Stryk det där!', 'Hon sover.'],
  ['sv', 'Hon sover. Han äter. Ångra.', 'Hon sover.'],
  ['sv', 'Hon sover. Han äter. Ångra det.', 'Hon sover.'],
  ['sv', 'Sover hon? Äter han? Stryk det.', 'Sover hon?'],
  ['sv', 'Hon sover. Alvedon 500 mg t.ex. vid feber. Stryk det.', 'Hon sover.'],
  ['sv', 'Hon sover. Åter kl. 8 i morgon. Stryk det.', 'Hon sover.'],
  ['sv', 'Hon sover. Vikt 72,5 kg. Stryk det.', 'Hon sover.'],
  ['sv', 'Hon sover. 2 tabletter till natten. Stryk det.', 'Hon sover.'],
  ['sv', 'Det är ok. Ja. Stryk det.', 'Det är ok.'],
  ['sv', 'Hon sover. Hon tar Waran osv. Stryk det.', 'Hon sover.'],
  ['sv', 'Hon sover. Han äter. Vi går. Stryk det. Stryk det.', 'Hon sover.'],
  ['sv', 'Hon sover. Stryk det. Stryk det.', '', 'strike'],
  ['sv', 'Stryk det. Stryk det.', '', 'strike'],
  ['sv', 'Hon sover. Ny rad. Han äter. Stryk det.', 'Hon sover.\n'],
  ['en', 'Take three a day. Scratch that.', ''],
  ['en', 'She sleeps. Take three a day. Scratch that.', 'She sleeps.'],
  ['en', 'She sleeps. Seen by Dr. Smith. Strike that.', 'She sleeps.'],
  ['en', 'She sleeps. Take two, e.g. at night. Undo that.', 'She sleeps.'],
  ['en-GB', 'She sleeps. He eats. Undo.', 'She sleeps.'],
  // Something comes behind it, it is part of a sentence, asked, quoted, or an order in a note.
  ['sv', 'Hon sover. Stryk det. Han äter.'],
  ['sv', 'Alvedon tre gånger om dagen, stryk det.'],
  ['sv', 'alvedon tre gånger om dagen stryk det'],
  ['sv', 'Waran står kvar på listan: stryk det.'],
  ['sv', 'Nej, stryk det.'],
  ['sv', 'Hon sover. Stryk det från listan.'],
  ['sv', 'Hon sover. Stryk det?'],
  ['sv', 'Hon sa: ”Nej. Stryk det.”'],
  ['sv', 'Hon sover (nej. Stryk det).'],
  ['sv', 'Hon sover. Ångra ingenting.'],
  ['sv', 'Hon sover. Vi kan inte ångra det.'],
  // Whoever speaks on would be cut off.
  ['sv', 'Hon sover. Stoppa.'],
  ['sv', 'Hon sover. Stoppa inspelningen.'],
  ['en', 'She sleeps, scratch that.'],
  ['en', 'She sleeps. Scratch that itch.'],
  ['en', 'She sleeps. Scratch that. He eats.'],
  ['en', 'She sleeps. You cannot undo that.'],
  ['en', 'She sleeps. Stop recording.'],
];

const TABLES = [
  ['sv', STRUCTURE, SWEDISH_STRUCTURE],
  ['sv', ALL, SWEDISH_MARKS],
  ['en', STRUCTURE, ENGLISH_STRUCTURE],
  ['en', ALL, ENGLISH_MARKS],
] as const;

describe.each(TABLES)('%s, %j', (language, options, cases) => {
  const pairs = cases.map(([heard, written = heard]) => [heard, written] as const);

  test.each(pairs)('%j', (heard, written) => {
    expect(carryOutCommands(heard, language, options)).toEqual({ text: written, command: null });
  });

  test('what was carried out once is not carried out again', () => {
    for (const [heard] of cases) {
      if (/ordagrant|literal|verbatim/i.test(heard)) continue;
      const once = carryOutCommands(heard, language, options).text;
      expect(carryOutCommands(once, language, options).text).toBe(once);
    }
  });

  test('with nothing on, nothing is changed', () => {
    for (const [heard] of cases) expect(carryOutCommands(heard, language, NONE).text).toBe(heard);
  });

  test('another language has none', () => {
    for (const [heard] of cases) expect(carryOutCommands(heard, 'de', ALL).text).toBe(heard);
  });
});

test.each(CONTROL)('%s: %j is %j', (language, heard, command) => {
  const text = command === null ? heard : '';
  expect(carryOutCommands(heard, language, ALL)).toEqual({ text, command });
  expect(carryOutCommands(heard, language, { ...ALL, control: false }).command).toBeNull();
});

test.each(
  LAST.map(
    ([language, heard, left = heard, command = null]) => [language, heard, left, command] as const,
  ),
)('%s: at the end of %j is left %j', (language, heard, left, command) => {
  const options = { ...STRUCTURE, control: true };
  expect(carryOutCommands(heard, language, options)).toEqual({ text: left, command });
  expect(carryOutCommands(heard, 'de', options).text).toBe(heard);
  expect(carryOutCommands(heard, language, NONE).text).toBe(heard);
});

test('the tables are as long as they should be', () => {
  const cases = TABLES.reduce(
    (sum, [, , { length }]) => sum + length,
    CONTROL.length + LAST.length,
  );
  expect(cases).toBeGreaterThanOrEqual(300);
});

test.each(['sv', 'en'])('linear time (%s)', (language) => {
  expectLinear(
    (text) => carryOutCommands(text, language, ALL),
    [
      'punkt ',
      'parentes ',
      'parentes slut parentes ',
      'citat parentes ',
      'open quote ',
      'quote unquote ',
      'ordagrant ',
      'ny rad ',
      'literal literal comma ',
      'Stryk det. ',
      'Ok. Undo. ',
      'A. ',
      "a'a",
      'a.',
      ', ',
    ],
  );
});
