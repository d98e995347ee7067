import User from '#models/user'
import type { HttpContext } from '@adonisjs/core/http'

export default class SessionController {
  create({ view }: HttpContext) {
    return view.render('pages/login')
  }

  async store({ request, auth, response }: HttpContext) {
    const { email, password } = request.all()
    await auth.use('web').login(await User.verifyCredentials(email, password))
    return response.redirect('/posts')
  }

  async destroy({ auth, response }: HttpContext) {
    await auth.use('web').logout()
    return response.redirect('/login')
  }
}
