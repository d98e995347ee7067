import { Qs } from '@adonisjs/core/http'

/** Reads and writes query strings as the engine's addresses have them, whatever the application has set: a comma in a value is a comma. */
export const queryStrings = new Qs({
  parse: { depth: 5, parameterLimit: 1000, allowSparse: false, arrayLimit: 20, comma: false },
  stringify: { encode: true, encodeValuesOnly: false, arrayFormat: 'indices', skipNulls: false },
})
