/** The texts of the extension's own pages in Swedish: what the others must be complete to. */
export const SWEDISH = {
  action: {
    title: 'Diktera',
    recording: 'Diktera spelar in',
  },
  popup: {
    start: 'Diktera',
    help: 'Klicka i ett textfält på sidan och tryck på mikrofonen, eller på F9. Härifrån dikterar du utan textfält: texten hamnar i listan nedan.',
    site: (host: string) => `På ${host}`,
    empty: 'Inget väntar. Det du dikterar visas här tills det står där det ska.',
    options: 'Alternativ',
  },
  panel: {
    drawn:
      'Den här sidan ritar sin text själv, så Diktera kan inte skriva i den. Det du dikterar visas här: kopiera det och klistra in det på sidan.',
    'no-field': 'Markören står inte i något textfält. Det du dikterar visas här, att kopiera.',
    copied: 'Kopierat. Klistra in det med Ctrl+V där det ska stå.',
    copyByKeys: 'Tryck Ctrl+C',
  },
  modes: {
    default: 'som på andra webbplatser',
    always: 'visa mikrofonen vid markören',
    key: 'bara med tangenten',
    never: 'aldrig',
  },
  options: {
    title: 'Diktera',
    lead: 'Diktera i vilket textfält som helst, på vilken webbplats som helst.',
    microphone: 'Mikrofonen',
    microphoneGranted: 'Diktera får använda mikrofonen.',
    microphoneAsk: 'Webbläsaren frågar en enda gång, och det gäller sedan på alla webbplatser.',
    microphoneDenied:
      'Mikrofonen är nekad. Klicka på ikonen till vänster i adressfältet, tillåt mikrofonen och ladda om den här sidan.',
    allow: 'Tillåt mikrofonen',
    server: 'Servern som skriver ned',
    address: 'Adress',
    addressHelp:
      'På den egna datorn räcker http. Annars behövs https. Det som väntar på en adress skickas inte till någon annan: det syns igen när du väljer den adressen.',
    addressWrong:
      'Det är ingen adress som går att använda. Den börjar med https://, eller med http:// om servern finns på den egna datorn.',
    addressRefused: 'Webbläsaren behöver din tillåtelse för att fråga den adressen.',
    token: 'Nyckel',
    tokenHelp:
      'Om servern kräver en. Den sparas i den här webbläsaren och skickas bara till servern.',
    save: 'Spara och prova',
    trying: 'Frågar servern …',
    serverReady: (languages: string) => `Servern svarar och skriver ${languages}.`,
    serverUntold: 'Servern svarar.',
    serverWantsToken: 'Servern vill ha en nyckel, och den här är inte rätt.',
    pairing:
      'Servern känner inte tillägget än. Öppna serverns sida, tryck på Visa en kod och skriv de sex siffrorna här.',
    pairingPage: 'Öppna serverns sida',
    pairingCode: 'Kod',
    pair: 'Para ihop',
    pairingWrong: (triesLeft: number) =>
      triesLeft === 1
        ? 'Det är inte koden. Du kan försöka en gång till.'
        : `Det är inte koden. Du kan försöka ${triesLeft} gånger till.`,
    pairingOver: 'Den koden gäller inte längre. Visa en ny på serverns sida.',
    serverSilent: 'Servern svarar inte. Det du dikterar sparas här och skickas när den gör det.',
    serverRefuses: (id: string) =>
      `Servern tar inte emot tillägget. Den som sköter servern sätter EXTENSION_IDS=${id}`,
    speechTitle: 'Språk och ord',
    keepTitle: 'Det som sparas',
    language: 'Språk som talas',
    languageHelp: 'Som sidan: det språk som sidan är skriven på, annars webbläsarens.',
    languageOfPage: 'som sidan',
    words: 'Egna ord',
    wordsHelp:
      'Namn och termer, ett på varje rad. Efter ett semikolon kan du skriva hur ordet låter.',
    keep: 'Spara inspelningar',
    keepHelp: 'Det som inte har skrivits ned än sparas alltid, hur länge det än tar.',
    keepChoices: {
      0: 'inte alls',
      1: 'en timme',
      24: 'ett dygn',
      168: 'en vecka',
      720: '30 dagar',
    },
    removePii: 'Dölj personuppgifter i texten',
    fixSpelling: 'Rätta stavningen',
    sites: 'Webbplatser',
    access: 'Diktera finns',
    accessAll: 'i alla textfält, på alla webbplatser',
    accessClick: 'bara där jag trycker på knappen i verktygsfältet',
    accessHelp:
      'Alt+Skift+D räknas som knappen. För alla webbplatser frågar webbläsaren om lov. Av en sida läses bara tecknen intill markören, när text sätts in.',
    everywhere: 'På alla webbplatser',
    sitesHelp: 'För en enskild webbplats väljer du i fönstret som öppnas från verktygsfältet.',
    key: 'Tangent i textfält',
    keyHelp:
      'Håll den nere medan du talar, eller tryck en gång för att börja och en gång för att sluta.',
    noKey: 'ingen',
    managed: 'Bestämt av din organisation.',
    saved: 'Sparat.',
  },
};

export type ExtensionStrings = typeof SWEDISH;
