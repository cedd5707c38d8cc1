/** Preloaded into a server. Shifts its clock by `FOYER_FAULT_CLOCK` milliseconds. */
const shift = Number(process.env.FOYER_FAULT_CLOCK);
const rightNow = Date.now.bind(Date);

Date.now = () => rightNow() + shift;
globalThis.Date = new Proxy(Date, {
  construct: (target, values, self) => Reflect.construct(target, values.length > 0 ? values : [target.now()], self),
});
