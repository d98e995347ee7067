import { KINDS, makePlace } from '../helpers/databases.js'
import { aceProcess } from '../helpers/server.js'
import type { Scenario } from '../scenario.js'

const AT_ONCE = 3

export const migrations: Scenario = {
  name: 'migrations',
  promise:
    'of several that migrate a new database at once all succeed, and each migration runs once',
  databases: KINDS,
  async run(kind) {
    const place = await makePlace(kind)
    try {
      const runs = await Promise.all(
        Array.from({ length: AT_ONCE }, () => aceProcess(place.variables, ['migrate']))
      )
      const broken = runs
        .filter(({ status }) => status !== 0)
        .map(({ status, output }) => `a migration ended with ${status}: ${output.slice(-500)}`)
      const said = runs.flatMap(({ output }) => output.match(/^Migrated .*$/gm) ?? [])
      const rows = await place.select('select name from adonis_schema')
      const names = new Set(rows.map(({ name }) => name))
      if (names.size !== rows.length) broken.push('a migration is noted twice')
      if (said.length !== rows.length) broken.push(`${said.length} were run, ${rows.length} noted`)
      return { figures: `${AT_ONCE} at once, ${rows.length} migrations, each once`, broken }
    } finally {
      await place.remove()
    }
  },
}
