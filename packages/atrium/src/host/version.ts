import { readFileSync } from 'node:fs'

/* Every command is listed by modules that import this one, which loads nothing of the engine. [K9] */
const OWN = new URL(import.meta.resolve('adonis-atrium/package.json'))

/** Version of Atrium itself. The `version` of the application's package.json is its own. */
export const VERSION: string = JSON.parse(readFileSync(OWN, 'utf8')).version
