// Which control asks for which kind of criterion: `control` of the module beside this one that is called as the kind is.
//
// A control is made with its criterion and its seat in the form, and has
//   root                     what it draws
//   choices                  where the form may put the skip button beside its own; absent: it gets a row of its own
//   slots                    how many of the printed keys it uses itself
//   onTheWay                 whether the focus stops here on its way down although nothing needs to be answered
//   paint(value, keyed)      shows the value; prints its keys if they work now
//   problem(value)           what is wrong or missing, as a sentence; null if this is an answer
//   read(value)              what is sent; undefined: nothing
//   reasons(value)           the reasons that this value asks for, {list, typed}; null if none
//   key(event)               a key outside of text boxes, while it is the active one; true when used
//   boxKey(event, box)       likewise inside one of its own text boxes
//   static words(value, criterion)   an answer as it is told to others; absent: as it is
//   focus()                  puts the caret where typing begins; false if it needs none
// The seat tells it about the rest: value(), set(value, said) keeps what is half done and shows what is wrong with it,
// done(value) answers and goes on, onward() goes on without submitting, activate() makes it the active one, text(of) is the text that it is about and plan the
// steps read from it, media is the pane with the item's pictures, id labels it for screen readers.

const names = await (await fetch(new URL("names.json", import.meta.url))).json();
const modules = await Promise.all(names.map((name) => import(`./${name}.js`)));

export const KINDS = Object.fromEntries(names.map((name, at) => [name, modules[at].control]));
