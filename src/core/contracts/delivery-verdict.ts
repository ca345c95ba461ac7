/**
 * What became of a delivered text: true if it is in the user's hands, `altered` if the
 * page cut or changed it on its way there (its audio stays and is offered), false if it is to be
 * offered again.
 */
export type DeliveryVerdict = boolean | 'altered';
