import User from '#models/user'
import Post from '#models/post'
import { test } from '@japa/runner'
import testUtils from '@adonisjs/core/services/test_utils'

test.group('Posts of the web host application', (group) => {
  group.each.setup(() => testUtils.db().withGlobalTransaction())

  const makeUser = () =>
    User.create({ email: 'own-test@example.com', password: 'secret-of-test', fullName: 'Own Test' })

  test('a user creates a post with a form', async ({ assert, client }) => {
    const user = await makeUser()
    const response = await client
      .post('/posts')
      .form({ title: 'From a test', body: 'Text' })
      .withCsrfToken()
      .loginAs(user)
      .redirects(0)
    response.assertStatus(302)
    response.assertHeader('location', '/posts')
    const post = await Post.findByOrFail('title', 'From a test')
    assert.equal(post.authorId, user.id)
  })

  test('a form without a CSRF token is refused', async ({ assert, client }) => {
    const user = await makeUser()
    const before = await Post.all()
    await client.post('/posts').form({ title: 'No token', body: 'Text' }).loginAs(user).redirects(0)
    assert.lengthOf(await Post.all(), before.length)
  })

  test("JSON responses use the names of the model's properties", async ({ assert, client }) => {
    const author = await makeUser()
    await Post.create({ title: 'A title', body: 'Text', authorId: author.id, wordPrice: 0.1 })
    const response = await client.get('/posts.json')
    const post = response.body().at(-1)
    assert.includeMembers(Object.keys(post), ['authorId', 'isPublished', 'wordPrice', 'createdAt'])
    assert.equal(post.author.fullName, 'Own Test')
  })

  test('anonymous users are redirected to the login', async ({ client }) => {
    const response = await client.post('/posts').form({}).withCsrfToken().redirects(0)
    response.assertStatus(302)
    response.assertHeader('location', '/login')
  })
})
