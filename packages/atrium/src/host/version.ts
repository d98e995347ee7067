import { readFileSync } from 'node:fs'
import { engineFile } from '#crud/internals'

/** Version of Atrium itself. The `version` of the application's package.json is its own. */
export const VERSION: string = JSON.parse(readFileSync(engineFile('package.json'), 'utf8')).version
