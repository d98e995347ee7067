import { readFileSync } from 'node:fs'

/* This module loads no other module of the engine, because the modules that list every command import it. */
const OWN = new URL(import.meta.resolve('adonis-atrium/package.json'))

/** Version of Atrium itself, which is independent of the `version` in the application's package.json. */
export const VERSION: string = JSON.parse(readFileSync(OWN, 'utf8')).version
