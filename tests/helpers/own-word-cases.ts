/**
 * Names and terms, and how a recogniser that does not know them writes them: made by hand after the
 * ways recognisers write what they hear. A row is the entry, and errors behind a colon.
 */
const SWEDISH_NAMES = `
Sjöqvist: Sjökvist, Schöqvist, Sjö kvist, Sjökvisst
Lindqvist: Lindkvist, Lind kvist, Lindqwist
Blomqvist: Blomkvist, Blom kvist, Blomqwist
Hjelm: Hjälm, Jelm, Jälm
Wahlström: Valström, Wallström, Vahlström
Söderqvist: Söderkvist, Söder kvist, Sederkvist
Åkesson: Åkeson, Okesson, Okeson
Bengtsson: Bengtson, Bengtzon, Benktsson
Carlsson: Karlsson, Karlson, Carlson
Kjellberg: Tjellberg, Kellberg, Kjelberg
Göransson: Jöransson, Göranson, Yöransson
Gertrud: Jertrud, Gertrude, Gertrudh
Ljungqvist: Ljungkvist, Jungkvist, Jung kvist
Hjalmarsson: Jalmarsson, Hjalmarson, Jalmarson
Schröder: Skröder, Schröeder, Shröder
Stjernfelt: Stjärnfelt, Schernfelt, Sjärnfelt
Skjöldebrand: Sköldebrand, Schöldebrand, Skölde brand
Wedin: Vedin, Wedinn, Weddin
Zetterlund: Setterlund, Zätterlund, Zetter lund
Quist-Holm: Kvistholm, Qvistholm, Kvist Holm
Thorbjörnsson: Torbjörnsson, Torbjörnson, Thorbjörnson
Ankarcrona: Ankarkrona, Ankar krona, Ancarkrona
Christoffer: Kristoffer, Kristofer, Christofer
Cecilia: Sesilia, Cesilia, Secilia
Philip: Filip, Filipp, Phillip
Isaksson: Isakson, Isacsson, Isacson
Jacobsson: Jakobsson, Jakobson, Jacobson
Matthiessen: Mattiesen, Matiessen, Mathiessen
Nordenskiöld: Nordenskjöld, Nordensköld, Nordenschöld
Oxenstierna: Oxenstjärna, Oxenstjerna, Oksenstjärna
Palmcrantz: Palmkrantz, Palmkrans, Palm krantz
Rehnqvist: Renqvist, Renkvist, Rehnkvist
Gyllenhammar: Jyllenhammar, Gyllen hammar, Yllenhammar
Tegnér: Tengner, Tegner, Tegnerr
Wallenberg: Vallenberg, Wallenbärg, Wallen berg
Östergaard: Östergård, Östergord, Öster gård
Ekelöf: Ekelöv, Ekelöff, Äkelöf
Hammarskjöld: Hammarsköld, Hammarschöld, Hammar sköld
Lagerlöf: Lagerlöv, Lagerlöff, Lager löf
Kerstin Hjort: Kerstin Jort, Kerstin Hiort, Kärstin Hjort
`;

const SWEDISH_TERMS = `
metoprolol: metroprolol, metoprolål, meto prolol
amlodipin: amlodippin, amlådipin, amlo dipin
omeprazol: omeprasol, omeprazål, ome prazol
atorvastatin: atorvastattin, atårvastatin, ator vastatin
levotyroxin: levothyroxin, levotyroksin, levo tyroxin
paracetamol: parasetamol, paracetamål, para cetamol
ibuprofen: ibuprofän, ibupprofen, ibu profen
furosemid: furåsemid, furosemidd, furo semid
enalapril: enalaprill, enallapril, enala pril
losartan: losarttan, låsartan, losar tan
sertralin: sertrallin, särtralin, sertra lin
citalopram: sitalopram, citalåpram, cita lopram
oxazepam: oksazepam, oxasepam, oxaze pam
zopiklon: sopiklon, zopiclon, zåpiklon
kodein: kådein, codein, koddein
tramadol: tramadål, tramaddol, trama dol
metformin: metfårmin, metforminn, met formin
warfarin: varfarin, warfarinn, war farin
digoxin: digåxin, digoksin, digo xin
prednisolon: prednisålon, predniselon, predni solon
allopurinol: alopurinol, allåpurinol, allo purinol
bisoprolol: bisåprolol, bisoprolål, biso prolol
candesartan: kandesartan, candesarttan, kande sartan
spironolakton: spirånolakton, spironolacton, spiro nolakton
mirtazapin: mirtasapin, mirtazappin, mirta zapin
dalteparin: daltepparin, daltäparin, dalte parin
klozapin: klosapin, clozapin, klåzapin
haloperidol: halåperidol, haloperidål, halo peridol
ramipril: ramiprill, ramippril, rami pril
simvastatin: simvastattin, symvastatin, simva statin
Xarelto: Sarelto, Xarello, Ksarelto
Eliquis: Elikvis, Elikis, Elikviss
Alvedon: Alvedån, Alvedonn, Alve don
Furix: Furiks, Furicks, Furrix
Theralen: Teralen, Therallen, Terallen
Lyrica: Lyrika, Lirika, Lyricka
Kåvepenin: Kovepenin, Kåvepennin, Kåve penin
Heracillin: Heracilin, Herasillin, Hera cillin
Symbicort: Symbikort, Simbicort, Symbi cort
Trombyl: Trombyll, Trombül, Trombil
`;

const ENGLISH_NAMES = `
McCarthy: Mccarthy, McCarty, Macarthy
Thompson: Tompson, Thomson, Thompsen
Stephen: Steven, Stefen, Stephan
Philippa: Filippa, Phillipa, Philipa
Geoffrey: Jeoffrey, Geofrey, Geoffry
Katherine: Catherine, Kathrine, Katharine
Wrightson: Rightson, Writeson, Wright son
Knightley: Nightley, Nightly, Knightly
Schwarzkopf: Shwarzkopf, Schwartzkopf, Schwarz kopf
Szymanski: Simanski, Shymanski, Szimanski
Nguyen: Nguyin, Nguien, Nguyenn
Beauchamp: Bochamp, Beachamp, Beauchomp
Featherstone: Fetherstone, Feather stone, Featherston
Hutchinson: Hutchinsen, Hutchison, Huchinson
Kowalczyk: Kovalczyk, Kowalczik, Kowal czyk
Lachlan: Lacklan, Lachlen, Lochlan
MacKenzie: McKenzie, Mackensie, Mac Kenzie
Siobhan: Shivaun, Siobhán, Siobahn
Villeneuve: Vilneuve, Villeneuv, Ville neuve
Whitaker: Witaker, Whittaker, Whitacker
`;

const ENGLISH_TERMS = `
metoprolol: metroprolol, metoprolel, meto prolol
amlodipine: amlodipin, amlodapine, amlo dipine
omeprazole: omeprasole, omeprazol, ome prazole
atorvastatin: atorvastaten, atorvastattin, ator vastatin
levothyroxine: levotyroxine, levothyroxin, levo thyroxine
acetaminophen: acetominophen, asetaminophen, aceta minophen
ibuprofen: ibuprofin, ibuprophen, ibu profen
furosemide: furosemid, furosamide, furo semide
lisinopril: lysinopril, lisinoprel, lisino pril
losartan: losarten, losartin, losar tan
sertraline: sertralin, certraline, sertra line
citalopram: sitalopram, citalopran, cita lopram
clozapine: klozapine, clozapin, clozepine
hydrochlorothiazide: hydroclorothiazide, hydrochlorothiazid, hydro chlorothiazide
metformin: metforman, metphormin, met formin
warfarin: warfarine, worfarin, war farin
prednisolone: prednisolon, prednisilone, predni solone
azithromycin: azithromicin, asithromycin, azithro mycin
gabapentin: gabapenten, gabapentine, gaba pentin
spironolactone: spironolacton, spironalactone, spirono lactone
`;

/** A recogniser's spelling, and the right one. */
export type OwnWordError = { readonly heard: string; readonly write: string };

/** The entries of one language, and their errors. */
export type OwnWordCases = {
  readonly entries: readonly string[];
  readonly errors: readonly OwnWordError[];
};

function casesOf(...tables: readonly string[]): OwnWordCases {
  const rows = tables
    .join('\n')
    .split('\n')
    .filter((row) => row !== '');
  const errors = rows.flatMap((row) => {
    const [write = '', heard = ''] = row.split(': ');
    return heard.split(', ').map((one) => ({ heard: one, write }));
  });
  return { entries: rows.map((row) => row.split(': ')[0] ?? ''), errors };
}

export const OWN_WORDS: Readonly<Record<'sv' | 'en', OwnWordCases>> = {
  sv: casesOf(SWEDISH_NAMES, SWEDISH_TERMS),
  en: casesOf(ENGLISH_NAMES, ENGLISH_TERMS),
};
