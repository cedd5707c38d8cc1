/** Frequent words without a meaning of their own, in the languages that visitors use most: lower case, no accents. */
export const stopWords = new Set(
  `a about am an and any are as at be but by can could did do does for from get give had has have hello hi how i if in is it its
  like many me much my need of on or our please sell sells show so some tell than thank thanks that the their them then there these they this
  to too up us use want was we were what when where which who why will with would you your aber als auch auf aus bei bin bis bitte
  das dem den der die du ein eine einen er es fur gibt habe haben hat ich ihr im in ist ja kann mein mit nach nicht noch oder sie
  sind so und uns viel von was welche wann wer wie wo zu zum au aux avec ce comment dans de des du elle en est et il je la le les
  ma mes mon nous ou par pas pour quand que quel quelle qui sur un une vous cuando como con cual del el esta hay los para por se
  son y`.split(/\s+/),
);
