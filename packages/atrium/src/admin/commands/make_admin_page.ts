import { args } from '@adonisjs/core/ace'
import string from '@adonisjs/core/helpers/string'
import { Command, CommandFailure } from '#crud/commands/command'

/** Makes a page of the application in the admin site: its class and its template. */
export default class MakeAdminPage extends Command {
  static commandName = 'make:admin-page'
  static description = 'Make a page of the admin site, with its template'
  static help = [
    '{{ binaryName }} make:admin-page Today',
    '{{ binaryName }} make:admin-page reports/tides',
  ]
  static options = { startApp: false }

  @args.string({ description: 'Name of the page, as in Today or reports/tides' })
  declare name: string

  async run() {
    const { className, fileName, label, path } = namesOf(this.name)
    const template = `admin/${fileName}`
    const { writeStubs } = await import('./write_stubs.js')
    await writeStubs(this, ['make/admin_page/page.stub', 'make/admin_page/view.stub'], {
      className,
      label,
      path,
      template,
      shownLabel: '{{ page.label }}',
      pageFile: this.app.makePath(`app/admin_pages/${fileName}.ts`),
      viewFile: this.app.makePath(this.app.rcFile.directories.views, `${template}.edge`),
    })
    this.print(
      `Roles allow the page by "pages": ["${path}"]; superusers see it after the next start.`
    )
  }
}

/**
 * Returns the names that a page or a card gets from the name in a command.
 *
 * @throws CommandFailure
 */
export function namesOf(given: string) {
  const parts = given.trim().split('/')
  if (!parts.every((part) => /^[A-Za-z][\w -]*$/.test(part))) {
    throw new CommandFailure(
      `'${given}' can't be a name: it is made of letters, digits, - and _, as in Today or reports/tides`
    )
  }
  const [last] = parts.slice(-1)
  return {
    className: string.pascalCase(last),
    fileName: parts.map((part) => string.snakeCase(part)).join('/'),
    label: string.sentenceCase(last),
    path: parts.map((part) => string.dashCase(part)).join('/'),
  }
}
