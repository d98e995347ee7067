import { test } from '@japa/runner'
import { parameterNames, Paths } from '#crud/openapi/names'

const operation = (...names: string[]) =>
  ({ parameters: names.map((name) => ({ name, in: 'path', schema: {} })) }) as any

const route = (method: string, path: string) => ({ method, path }) as any

test.group('Paths in the API schema', () => {
  test('[Q1] routes that only differ in the names of parameters are one path', ({ assert }) => {
    const paths = new Paths()
    paths.add(route('GET', '/a/:id/b'), operation('id'))
    paths.add(route('POST', '/a/:name/b'), operation('name'))
    paths.add(route('GET', '/a/:x/:y'), operation('x', 'y'))
    paths.add(route('PUT', '/a/:y/:x'), operation('y', 'x'))

    assert.deepEqual(Object.keys(paths.all), ['/a/{id}/b', '/a/{x}/{y}'])
    assert.equal((paths.all['/a/{id}/b'].post!.parameters![0] as any).name, 'id')
    assert.deepEqual(
      paths.all['/a/{x}/{y}'].put!.parameters!.map((one: any) => one.name),
      ['x', 'y']
    )
  })

  test('[Q1] parameters in every notation of a route are found')
    .with([
      ['/a/:id', ['id']],
      ['/a/:id?', ['id']],
      ['/a/:id.json', ['id']],
      ['/a/*', ['rest']],
      ['/', []],
    ] as const)
    .run(({ assert }, [path, names]) => {
      assert.deepEqual(parameterNames(path), [...names])
    })
})
