import { readFileSync } from 'node:fs'

/* Every command is listed by modules that import this one, so it loads no other module of the engine. */
const OWN = new URL(import.meta.resolve('adonis-atrium/package.json'))

/** Version of Atrium itself, which is independent of the `version` in the application's package.json. */
export const VERSION: string = JSON.parse(readFileSync(OWN, 'utf8')).version
