import { flags } from '@adonisjs/core/ace'
import { Command } from '#crud/commands/command'
import { VERSION } from '../version.js'

/** Lists errors and questionable settings in the installation. Changes nothing. */
export default class Doctor extends Command {
  static commandName = 'atrium:doctor'
  static description = 'List what is wrong or doubtful in the installation, and how to change it'
  static help = ['Ends with status 1 if there is an error.']

  @flags.boolean({ description: 'Check the settings as those of a production server' })
  declare production: boolean

  @flags.boolean({ description: 'Print JSON, and nothing else' })
  declare json: boolean

  async run() {
    const { findingsOf } = await import('../findings.js')
    const production = this.production || this.app.inProduction
    const findings = await findingsOf(this.app, production)
    if (findings.some(({ severity }) => severity === 'error')) this.exitCode = 1
    if (this.json)
      return this.printJson({ version: VERSION, node: process.versions.node, findings })
    this.print(`Atrium ${VERSION}, Node.js ${process.versions.node}`)
    for (const { severity, text } of findings) this.print(`${severity.padEnd(8)} ${text}`)
    if (findings.length === 0) this.print('Nothing is wrong.')
  }
}
