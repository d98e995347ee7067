import { readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { flags } from '@adonisjs/core/ace'
import { Command } from '#crud/commands/command'
import { VERSION } from '../version.js'

/** npm packages of the database drivers, by Knex's client name */
const DRIVERS: Record<string, string> = {
  'sqlite': 'sqlite3',
  'sqlite3': 'sqlite3',
  'better-sqlite3': 'better-sqlite3',
  'pg': 'pg',
  'postgres': 'pg',
  'mysql': 'mysql2',
  'mysql2': 'mysql2',
}

/** Prints the versions of Atrium, Node.js and the libraries. Runs no queries. */
export default class Version extends Command {
  static commandName = 'atrium:version'
  static description =
    'Show the versions of Atrium, Node.js, AdonisJS, Lucid and the database driver'

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    const connection: string = this.app.config.get('database.connection')
    const client: string = this.app.config.get(`database.connections.${connection}.client`)
    const driver = DRIVERS[client] ?? client
    const versions = {
      atrium: VERSION,
      node: process.versions.node,
      adonisjs: versionOf('@adonisjs/core'),
      lucid: versionOf('@adonisjs/lucid'),
      database: { connection, driver, version: versionOf(driver) },
    }
    if (this.json) return this.printJson(versions)
    this.logger.log(`Atrium    ${versions.atrium}`)
    this.logger.log(`Node.js   ${versions.node}`)
    this.logger.log(`AdonisJS  ${versions.adonisjs}`)
    this.logger.log(`Lucid     ${versions.lucid}`)
    this.logger.log(`Database  ${connection}, by ${driver} ${versions.database.version}`)
  }
}

/** Returns the version of an installed package; some packages do not export their package.json. */
function versionOf(name: string): string {
  for (let folder = import.meta.dirname; ; folder = dirname(folder)) {
    try {
      const file = join(folder, 'node_modules', name, 'package.json')
      return JSON.parse(readFileSync(file, 'utf8')).version
    } catch (error) {
      if (folder === dirname(folder)) throw error
    }
  }
}
