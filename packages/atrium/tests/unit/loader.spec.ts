import { execFile } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import app from '@adonisjs/core/services/app'
import { test } from '@japa/runner'

const run = promisify(execFile)

/** A project with the loader, whose only packages are the compiler and `greeting` */
class Project {
  constructor(readonly folder: string) {}

  static async create(): Promise<Project> {
    const project = new Project(await mkdtemp(join(tmpdir(), 'atrium-loader-')))
    await mkdir(join(project.folder, 'node_modules/greeting'), { recursive: true })
    await symlink(
      app.makePath('node_modules/@poppinss'),
      join(project.folder, 'node_modules/@poppinss')
    )
    for (const file of ['compile.js', 'loader.js', 'moved_imports.js']) {
      await cp(app.makePath('scripts', file), join(project.folder, 'scripts', file))
    }
    await project.install('hello')
    await project.write('package.json', '{"type":"module","imports":{"#own/*":"./own/*.js"}}')
    return project
  }

  async install(text: string): Promise<void> {
    await this.write('node_modules/greeting/package.json', `{"main":"${text}.cjs"}`)
    await this.write(`node_modules/greeting/${text}.cjs`, `module.exports = '${text}'`)
    await this.write('node_modules/.package-lock.json', JSON.stringify({ text }))
  }

  async write(name: string, text: string): Promise<void> {
    await mkdir(join(this.folder, name, '..'), { recursive: true })
    await writeFile(join(this.folder, name), text)
  }

  /** Output of a file, or the error's */
  async run(file: string): Promise<string> {
    const options = { cwd: this.folder, env: { PATH: process.env.PATH } }
    const ended = await run(
      process.execPath,
      ['--import=./scripts/loader.js', file],
      options
    ).catch((error: { stderr: string }) => ({ stdout: error.stderr }))
    return ended.stdout.trim()
  }

  async cached(): Promise<string[]> {
    const names = await readdir(join(this.folder, 'node_modules/.cache/atrium'))
    return names.filter((name) => name.endsWith('.js'))
  }
}

test.group('TypeScript loader', (group) => {
  let project: Project

  group.each.setup(async () => {
    project = await Project.create()
    return () => rm(project.folder, { recursive: true, force: true })
  })

  test('a file is compiled once until it changes, and the newest version runs', async ({
    assert,
  }) => {
    await project.write('own/value.ts', 'export const value: number = 1')
    await project.write('main.ts', "import { value } from '#own/value'\nconsole.log(value)")
    assert.equal(await project.run('main.ts'), '1')
    assert.equal(await project.run('main.ts'), '1')
    assert.lengthOf(await project.cached(), 2)

    await project.write('own/value.ts', 'export const value: number = 2')
    assert.equal(await project.run('main.ts'), '2')
    assert.lengthOf(await project.cached(), 3)
  })

  test('[K2] the engine runs from its sources without a build, in the state that they have at the start', async ({
    assert,
  }) => {
    const engine = 'packages/atrium'
    const exports = { '.': { 'atrium-source': './src/index.ts', 'default': './build/index.js' } }
    await project.write(
      `${engine}/package.json`,
      JSON.stringify({ name: 'adonis-atrium', type: 'module', exports })
    )
    await symlink(`../${engine}`, join(project.folder, 'node_modules/adonis-atrium'))
    await project.write('main.ts', "import { name } from 'adonis-atrium'\nconsole.log(name)")
    for (const name of ['before', 'after']) {
      await project.write(`${engine}/src/index.ts`, `export const name: string = '${name}'`)
      assert.equal(await project.run('main.ts'), name)
    }
  })

  test('after an update of a package, its newly installed version is imported', async ({
    assert,
  }) => {
    await project.write('main.ts', "import text from 'greeting'\nconsole.log(text as string)")
    assert.equal(await project.run('main.ts'), 'hello')
    assert.equal(await project.run('main.ts'), 'hello')

    await rm(join(project.folder, 'node_modules/greeting'), { recursive: true })
    await project.install('goodbye')
    assert.equal(await project.run('main.ts'), 'goodbye')
  })

  test('stack traces show source lines, and syntax errors their position', async ({ assert }) => {
    await project.write('main.ts', "interface A {\n  b: string\n}\n\nthrow new Error('no')")
    await project.run('main.ts')
    assert.match(await project.run('main.ts'), /main\.ts:5:7/)

    await project.write('main.ts', 'const a: = 1')
    assert.match(await project.run('main.ts'), /Unexpected token[^]+main\.ts:1:1/)
  })

  test('JSX is compiled for the runtime of tsconfig.json', async ({ assert }) => {
    await project.write('tsconfig.json', '{"compilerOptions":{"jsxImportSource":"#own"}}')
    await project.write('own/jsx-runtime.ts', 'export const jsx = (tag: string) => `<${tag}>`')
    await project.write('page.tsx', 'export const page = <b />')
    await project.write('main.ts', "import { page } from './page.js'\nconsole.log(page)")
    assert.equal(await project.run('main.ts'), '<b>')
  })

  test("files can be loaded even if the cache can't be written", async ({ assert }) => {
    await project.write('node_modules/.cache', 'a file where the folder would be')
    await project.write('main.ts', 'console.log(1 as number)')
    assert.equal(await project.run('main.ts'), '1')
  })

  test('cached files that are more than 30 days old are removed', async ({ assert }) => {
    await project.write('main.ts', 'console.log(1 as number)')
    await project.run('main.ts')
    const [old] = await project.cached()
    const then = new Date(Date.now() - 31 * 24 * 60 * 60 * 1000)
    await utimes(join(project.folder, 'node_modules/.cache/atrium', old), then, then)

    await project.write('main.ts', 'console.log(2 as number)')
    await project.run('main.ts')
    const now = await project.cached()
    assert.lengthOf(now, 1)
    assert.notInclude(now, old)
  })
})
