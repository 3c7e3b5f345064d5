# Bessel functions, in float64: float32 is rounded once. Below 8 polynomials in x^2; beyond, amplitude and phase:
# J = sqrt(2 / (pi x)) (P cos c - Q sin c), Y = sqrt(2 / (pi x)) (P sin c + Q cos c) with c = x - pi/4 (orders 0)
# or x - 3 pi/4 (orders 1), where P and Q x / 8 are polynomials in (8 / x)^2.


@triton.jit
def _bessel_far(x, order: tl.constexpr, second: tl.constexpr):
    w = 8.0 / x
    t = tl.fma(2.0 * w, w, _real(-1.0, x))
    if order == 0:
        p = _horner(t, (-1.1346926815291663e-14, 3.334599531685773e-14, -6.563491590174781e-14,
                       2.454626647456918e-13, -1.061860361827791e-12, 4.786833648457065e-12,
                       -2.4883792349430343e-11, 1.5500573849457377e-10, -1.2121178913027262e-09,
                       1.2803761421389911e-08, -2.052744816021978e-07, 6.137416080111143e-06,
                       -0.0005363673192130033, 0.9994572757882519))
        q = _horner(t, (2.0327835201955902e-15, -5.05803415691077e-15, 5.106678984026469e-15,
                       -1.64697103261025e-14, 6.900332036608468e-14, -2.341397180046064e-13,
                       8.602315982558679e-13, -3.5884456577405732e-12, 1.7032949455437694e-11,
                       -9.47041158664035e-11, 6.432781987478788e-10, -5.668716049240259e-09,
                       7.10621485915512e-08, -1.4771388326499655e-06, 6.833149099343896e-05,
                       -0.015555113879513518))
    else:
        p = _horner(t, (1.2012721775449965e-14, -3.5404613525657416e-14, 7.019004954768849e-14,
                       -2.635099411586755e-13, 1.1443000350441976e-12, -5.190987549128526e-12,
                       2.7205216071451606e-11, -1.713108363257052e-10, 1.3603054724512454e-09,
                       -1.4708512970871809e-08, 2.453676622679369e-07, -7.95969469844003e-06,
                       0.0008988049416705564, 1.0009070262780821))
        q = _horner(t, (-2.1379173806760675e-15, 5.3301669514931285e-15, -5.430000658130871e-15,
                       1.754535000314622e-14, -7.34784527018454e-14, 2.502727082192215e-13,
                       -9.239443579427935e-13, 3.875502362183683e-12, -1.8524498571424332e-11,
                       1.0395095079650433e-10, -7.151105706516684e-10, 6.420132498992037e-09,
                       -8.291960708636421e-08, 1.8212018512312627e-06, -9.621458822054437e-05,
                       0.04677687402744898))
    q = q * w
    # sqrt(2) times the sine and cosine of the phase are sums and differences of those of x.
    sine = libdevice.sin(x)
    cosine = libdevice.cos(x)
    if order == 0:
        phase_sine = sine - cosine
        phase_cosine = sine + cosine
    else:
        phase_sine = -(sine + cosine)
        phase_cosine = sine - cosine
    scale = 0.5641895835477563 / libdevice.sqrt_rn(x)
    if second:
        return (p * phase_sine + q * phase_cosine) * scale
    else:
        return (p * phase_cosine - q * phase_sine) * scale


@triton.jit
def _j0_near(x):
    # The zeros as factors, in two parts each.
    p = _horner(tl.fma(x, x * 0.03125, _real(-1.0, x)), (-1.1358872733053948e-17, 4.0068947189799594e-16,
                                                        -1.244037126995673e-14, 3.3923298939988384e-13,
                                                        -8.023536495592505e-12, 1.6276489491802434e-10,
                                                        -2.7948629190252563e-09, 3.99883934547248e-08,
                                                        -4.677128021500413e-07, 4.3669323246406834e-06,
                                                        -3.157342540223125e-05, 0.00016977200713997844,
                                                        -0.0006415390646406127, 0.0015636431645931661,
                                                        -0.002119794289479692, 0.0011434937743762545))
    first = ((x - 2.404825557695773) + 1.176691651530894e-16) * (x + 2.404825557695773)
    second = ((x - 5.520078110286311) - 8.088597146146722e-17) * (x + 5.520078110286311)
    return p * first * second


@triton.jit
def _j1_near(x):
    p = _horner(tl.fma(x, x * 0.03125, _real(-1.0, x)), (1.1809575438223918e-17, -3.910422781244815e-16,
                                                        1.1343132028985911e-14, -2.8755308688882974e-13,
                                                        6.2847338188380325e-12, -1.1696932521779358e-10,
                                                        1.826854769538332e-09, -2.3521922545778545e-08,
                                                        2.4425222607520203e-07, -1.989093515914257e-06,
                                                        1.224217365301561e-05, -5.408003239085506e-05,
                                                        0.00015860016799369874, -0.0002697522746716368,
                                                        0.00019498936985895625))
    first = ((x - 3.8317059702075125) + 1.5269184090088067e-16) * (x + 3.8317059702075125)
    second = ((x - 7.015586669815619) + 9.414165653410389e-17) * (x + 7.015586669815619)
    return p * first * second * x


@triton.jit
def _j0(x):
    size = tl.abs(x)
    far = size >= 8.0
    finite = isfinited(x)
    result = _j0_near(tl.where(far, 0.0, size))
    result = tl.where(far, _bessel_far(tl.where(far & finite, size, 8.0), 0, False), result)
    return tl.where(isinf(x), 0.0, tl.where(x != x, x, result))


@triton.jit
def _j1(x):
    size = tl.abs(x)
    far = size >= 8.0
    finite = isfinited(x)
    result = _j1_near(tl.where(far, 0.0, size))
    result = tl.where(far, _bessel_far(tl.where(far & finite, size, 8.0), 1, False), result)
    result = tl.where(_is_negative(x), -result, result)
    return tl.where(isinf(x) | (x == 0.0), 1.0 / (x + libdevice.copysign(_infinity(x), x)), tl.where(x != x, x, result))


@triton.jit
def _y0(x):
    far = x >= 8.0
    near = tl.where((x > 0.0) & (x < 8.0), x, 1.0)
    p = _horner(tl.fma(near, near * 0.03125, _real(-1.0, x)), (-8.838468394309022e-13, 2.6926937109987802e-11,
                                                              -7.130468040126112e-10, 1.6390875017619395e-08,
                                                              -3.218507833909702e-07, 5.321318810394401e-06,
                                                              -7.279541882544516e-05, 0.00080615860596164,
                                                              -0.007025741057270546, 0.046367047681375125,
                                                              -0.2189574709617164, 0.6721770783431679,
                                                              -1.0775477338215995, 0.14412632369302475,
                                                              1.6470964788745466, -0.8284358903604587,
                                                              -0.382250654459425))
    result = tl.fma(0.6366197723675814 * libdevice.log(near), _j0_near(near), p)
    result = tl.where(far, _bessel_far(tl.where(far & isfinited(x), x, 8.0), 0, True), result)
    return _y_ends(x, result)


@triton.jit
def _y1(x):
    far = x >= 8.0
    near = tl.where((x > 0.0) & (x < 8.0), x, 1.0)
    p = _horner(tl.fma(near, near * 0.03125, _real(-1.0, x)), (8.758166378734063e-13, -2.4995314348224963e-11,
                                                              6.169694909376002e-10, -1.3153147370992129e-08,
                                                              2.3804930317310604e-07, -3.6010000225850992e-06,
                                                              4.4674330127252e-05, -0.00044381734344201836,
                                                              0.0034224907399185273, -0.01962875683311711,
                                                              0.07854786922242538, -0.19639839859930203,
                                                              0.23507209206669755, 0.02336757172099348,
                                                              -0.24337743079193114, 0.07075985882118005))
    rest = tl.fma(libdevice.log(near), _j1_near(near), -1.0 / near)
    result = tl.fma(_real(0.6366197723675814, x), rest, p * near)
    result = tl.where(far, _bessel_far(tl.where(far & isfinited(x), x, 8.0), 1, True), result)
    return _y_ends(x, result)


@triton.jit
def _y_ends(x, result):
    result = tl.where(x == _infinity(x), 0.0, result)
    result = tl.where(x == 0.0, -_infinity(x), result)
    return tl.where((x < 0.0) | (x != x), _nan(x), result)


@triton.jit
def j0(x):
    return _j0(x.to(tl.float64)).to(x.dtype)


@triton.jit
def j1(x):
    return _j1(x.to(tl.float64)).to(x.dtype)


@triton.jit
def y0(x):
    return _y0(x.to(tl.float64)).to(x.dtype)


@triton.jit
def y1(x):
    return _y1(x.to(tl.float64)).to(x.dtype)


@triton.jit
def _upward(n, x, before, last):
    # Order n from 2 on, from orders 0 and 1. Once a Y is infinite, so are those of higher order.
    k = 1.0 + 0.0 * x
    while (k < n) & (tl.abs(last) < _infinity(x)):
        next = 2.0 * k / x * last - before
        before = last
        last = next
        k += 1.0
    return last


@triton.jit
def _downward(n, x):
    # J of an order above x, from far above it, where any start will do; the sum of the even orders, each twice,
    # is 1.
    top = 2.0 * libdevice.ceil(0.5 * (n + libdevice.sqrt_rn(200.0 * n)))
    above = 0.0 * x
    value = 1e-300 + above
    sum = above
    result = above
    k = top
    while k > 0.0:
        next = 2.0 * k / x * value - above
        above = value
        value = next
        k -= 1.0
        result = tl.where(k == n, value, result)
        even = 2.0 * libdevice.trunc(0.5 * k) == k
        sum += tl.where(even, tl.where(k == 0.0, value, 2.0 * value), 0.0)
        shrink = tl.where(tl.abs(value) > 1e200, 1e-200, 1.0 + 0.0 * x)
        value *= shrink
        above *= shrink
        sum *= shrink
        result *= shrink
    return result / sum


@triton.jit
def _jn_of(n, x):
    order = tl.abs(n.to(tl.float64))
    size = tl.abs(x)
    result = tl.where(order == 0.0, _j0(size), _j1(size))
    if order > 1.0:
        # (x / 2)^n / n! bounds J.
        small = order * libdevice.log(1.3591409142295226 * size / order) < -760.0
        if (size == 0.0) | small | isinf(x):
            result = 0.0 * order
        elif size >= order:
            result = _upward(order, size, _j0(size), result)
        elif x == x:
            result = _downward(order, size)
    odd = (n & 1) == 1
    flips = odd & ((n < 0) != _is_negative(x))
    result = tl.where(flips, result * -1.0, result)
    return tl.where(x != x, x, result)


@triton.jit
def _yn_of(n, x):
    order = tl.abs(n.to(tl.float64))
    result = tl.where(order == 0.0, _y0(x), _y1(x))
    if (order > 1.0) & (x > 0.0) & isfinited(x):
        result = _upward(order, x, _y0(x), result)
    flips = ((n & 1) == 1) & (n < 0)
    return tl.where(flips, result * -1.0, result)


@triton.jit
def jn(n, x):
    if len(x.shape) == 0:
        return _jn_of(n, x.to(tl.float64)).to(x.dtype)
    else:
        return tl.map_elementwise(_jn_of, n, x.to(tl.float64)).to(x.dtype)


@triton.jit
def yn(n, x):
    if len(x.shape) == 0:
        return _yn_of(n, x.to(tl.float64)).to(x.dtype)
    else:
        return tl.map_elementwise(_yn_of, n, x.to(tl.float64)).to(x.dtype)


@triton.jit
def _bessel_i_far(x, order: tl.constexpr):
    # e^x / sqrt(x) times a polynomial in 8 / x; the power in two factors, as it may overflow alone.
    t = 16.0 / x - 1.0
    if order == 0:
        p = _horner(t, (4.655655751294525e-11, 1.556423962829591e-11, -3.6353603909526465e-10,
                       -1.1746991110551324e-10, 1.3291938884143105e-09, 4.1991218209463363e-10,
                       -3.0791787996480336e-09, -9.961827005971165e-10, 5.2159872385826355e-09,
                       1.9518431205146255e-09, -7.1046429701883025e-09, -3.799241020140616e-09,
                       8.006764881281122e-09, 7.687473295440412e-09, -5.6022211783247e-09,
                       -1.3450608319883882e-08, -6.7023325619894366e-09, 7.563107589679047e-09,
                       2.1541699603632043e-08, 3.9324793517123454e-08, 8.872278303607728e-08,
                       2.9735993216471474e-07, 1.4838475391383468e-06, 1.1143033788559087e-05,
                       0.00013621607439240856, 0.0033605519836678844, 0.4021765094450081))
    else:
        p = _horner(t, (-4.848238653363404e-11, -1.4553819054184817e-11, 3.784510012514866e-10,
                       1.0940884042721056e-10, -1.3834389708637022e-09, -3.8986710944632543e-10,
                       3.2055586346236238e-09, 9.265252428334351e-10, -5.438072168110142e-09,
                       -1.842354234931444e-09, 7.441519822394391e-09, 3.7003762012994875e-09,
                       -8.488549054437278e-09, -7.768471997806944e-09, 6.180080050252965e-09,
                       1.4073201407347145e-08, 6.687257309165881e-09, -8.435630024967513e-09,
                       -2.336697227282623e-08, -4.312819645562664e-08, -1.000134929730233e-07,
                       -3.483856445811428e-07, -1.8349101048965518e-06, -1.5038547198351201e-05,
                       -0.00021923576383438729, -0.009749577193235758, 0.38939845902587233))
    root = exp(0.5 * x)
    return root * (p / libdevice.sqrt_rn(x)) * root


@triton.jit
def _bessel_i(x, order: tl.constexpr):
    size = tl.abs(x)
    far = size >= 8.0
    near = tl.where(far, 0.0, size)
    # The power series: all terms are positive.
    q = 0.25 * near * near
    if order == 0:
        p = _horner(q, (8.434015951438106e-57, 6.14839762859838e-54, 4.156316796932504e-51,
                      2.5976979980828152e-48, 1.4962740468957016e-45, 7.915289708078262e-43,
                      3.8310002187098785e-40, 1.6894710964510564e-37, 6.757884385804225e-35,
                      2.4395962632753253e-32, 7.904291893012054e-30, 2.2843403570804838e-27,
                      5.8479113141260385e-25, 1.3157800456783586e-22, 2.5789288895295828e-20,
                      4.358389823304995e-18, 6.276081345559193e-16, 7.594058428126623e-14,
                      7.594058428126624e-12, 6.151187326782565e-10, 3.936759889140842e-08,
                      1.9290123456790124e-06, 6.944444444444444e-05, 0.001736111111111111, 0.027777777777777776,
                      0.25, 1.0, 1.0))
    else:
        p = _horner(q, (2.2771843068882885e-55, 1.5985833834355786e-52, 1.0390791992331261e-49,
                      6.234475195398757e-47, 3.4414303078601135e-44, 1.7413637357772174e-41,
                      8.045100459290744e-39, 3.3789421929021126e-36, 1.2839980333028028e-33,
                      4.391273273895586e-31, 1.3437296218120491e-28, 3.654944571328774e-26,
                      8.771866971189057e-24, 1.842092063949702e-21, 3.352607556388458e-19,
                      5.230067787965994e-17, 6.903689480115112e-15, 7.594058428126623e-13,
                      6.834652585313961e-11, 4.920949861426052e-09, 2.755731922398589e-07,
                      1.1574074074074073e-05, 0.00034722222222222224, 0.006944444444444444, 0.08333333333333333,
                      0.5, 1.0))
        p = p * (0.5 * near)
    result = tl.where(far, _bessel_i_far(_bounded(tl.where(far, size, 8.0), 8.0, 720.0), order), p)
    return tl.where(x != x, x, result)


@triton.jit
def cyl_bessel_i0(x):
    return _bessel_i(x.to(tl.float64), 0).to(x.dtype)


@triton.jit
def cyl_bessel_i1(x):
    return libdevice.copysign(_bessel_i(x.to(tl.float64), 1).to(x.dtype), x)
